import { Injectable } from '@nestjs/common';
import { transfer } from '../../domain/posting.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import type { Booking } from '../../ledger/new-entry.js';
import { systemAccount } from '../../ledger/system-accounts.js';
import { type DepositAccounts, PocketsService } from '../../ledger/pockets.service.js';
import { row, rows, type Tx } from '../../platform/database/database.js';
import type { PaymentDeposit } from '../deposits/payment-deposit.js';
import type { PaymentIntent } from './payment-intent.entity.js';
import { minorUnitExponentOf, recordBooking } from './settlement.sql.js';

/** An intent with the deposits that are booked now. */
export interface PaidIntent {
  readonly intent: PaymentIntent;
  readonly booked: readonly PaymentDeposit[];
}

/**
 * Posts final deposits to the merchant's pocket, late and surplus money included: nothing that arrived is lost. A
 * deposit of a sender on the sanctions list is posted to the frozen account instead, for staff to release or keep, and
 * counts for nothing until then.
 */
@Injectable()
export class DepositBooking {
  constructor(
    private readonly ledger: LedgerService,
    private readonly pockets: PocketsService,
  ) {}

  /**
   * Stores that the final deposits that are on chain and not booked yet are booked now, and `late` of all. Returns those for
   * `post`.
   */
  async markBooked(tx: Tx, deposits: readonly PaymentDeposit[]): Promise<ReadonlySet<PaymentDeposit>> {
    const due = deposits.filter(
      ({ status, bookedAt, goneAt }) => status === 'confirmed' && bookedAt === null && goneAt === null,
    );
    for (const deposit of due) {
      deposit.bookedAt = new Date();
      if (!isClean(deposit)) deposit.heldAs = 'frozen';
    }
    const booked = new Set(due);
    await this.store(tx, deposits, booked);
    return booked;
  }

  /**
   * Posts the deposits of intents that `markBooked` returned, in the same transaction. Other postings of their pockets wait
   * until it has ended: post last.
   */
  async post(tx: Tx, paid: readonly PaidIntent[]): Promise<void> {
    const bookings: Booking[] = [];
    for (const { intent, booked } of paid) {
      if (booked.length > 0) bookings.push(...(await this.bookingsOf(tx, intent, booked)));
    }
    await this.ledger.bookAll(tx, bookings);
  }

  /** All payments of an intent are in one token on one chain, so there is one pocket for them. */
  private async bookingsOf(tx: Tx, intent: PaymentIntent, due: readonly PaymentDeposit[]): Promise<readonly Booking[]> {
    const { environment } = intent;
    const { asset, chainAccountId, availableAccountId } = await this.accountsOf(tx, intent);
    const booking = (deposit: PaymentDeposit, accountId: number): Booking => ({
      reference: `deposit:${deposit.id}`,
      kind: 'deposit',
      environment,
      legs: transfer({ from: chainAccountId, to: accountId, asset, amount: deposit.amount }),
    });
    const bookings = due.filter(isClean).map((deposit) => booking(deposit, availableAccountId));
    const frozen = due.filter((deposit) => !isClean(deposit));
    if (frozen.length > 0) {
      const frozenAccountId = await systemAccount(tx, 'frozen', environment, asset);
      bookings.push(...frozen.map((deposit) => booking(deposit, frozenAccountId)));
    }
    return bookings;
  }

  /** Returns the accounts of the intent's payments. Opens the pocket when it does not exist yet. */
  private async accountsOf(tx: Tx, intent: PaymentIntent): Promise<DepositAccounts> {
    const { environment, network, token, merchantId, chainRef, tokenContract, tokenDecimals } = intent;
    if (chainRef === null || tokenContract === null || tokenDecimals === null) {
      throw new Error(`Payment intent ${intent.id} has deposits and no quote.`);
    }
    const key = { environment, network, contract: tokenContract };
    const found = await this.pockets.findDepositAccounts(tx, { merchantId, environment }, key);
    if (found !== null) return found;
    const { minorUnitExponent } = await row(tx, minorUnitExponentOf(chainRef, tokenContract));
    const opened = { ...key, symbol: token, decimals: tokenDecimals, minorUnitExponent };
    return this.pockets.depositAccounts(tx, { merchantId, environment }, opened);
  }

  private async store(tx: Tx, deposits: readonly PaymentDeposit[], booked: ReadonlySet<PaymentDeposit>): Promise<void> {
    if (deposits.length === 0) return;
    const decisions = deposits.map((deposit) => ({
      id: deposit.id,
      late: deposit.late ?? false,
      isBooked: booked.has(deposit),
    }));
    await rows(tx, recordBooking(decisions));
  }
}

/** Whether the sender was on no sanctions list when the deposit became final. */
function isClean({ listedSenderId }: PaymentDeposit): boolean {
  return listedSenderId === null;
}

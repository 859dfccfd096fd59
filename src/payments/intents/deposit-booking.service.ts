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
  async markBooked(tx: Tx, deposits: readonly PaymentDeposit[]): Promise<readonly PaymentDeposit[]> {
    const due = deposits.filter(
      ({ status, bookedAt, goneAt }) => status === 'confirmed' && bookedAt === null && goneAt === null,
    );
    for (const deposit of due) {
      deposit.bookedAt = new Date();
      if (!isClean(deposit)) deposit.heldAs = 'frozen';
    }
    await this.store(tx, deposits, due);
    return due;
  }

  /**
   * Posts the deposits that `markBooked` returned, in the same transaction. All payments of an intent are in one token on one
   * chain, so there is one pocket for them. Other postings of the pocket wait until the transaction has ended: post last.
   */
  async post(tx: Tx, intent: PaymentIntent, due: readonly PaymentDeposit[]): Promise<void> {
    if (due.length === 0) return;
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
    await this.ledger.bookAll(tx, bookings);
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

  private async store(tx: Tx, deposits: readonly PaymentDeposit[], booked: readonly PaymentDeposit[]): Promise<void> {
    if (deposits.length === 0) return;
    const bookedIds = new Set(booked.map((deposit) => deposit.id));
    await rows(
      tx,
      recordBooking(deposits.map(({ id, late }) => ({ id, late: late ?? false, isBooked: bookedIds.has(id) }))),
    );
  }
}

/** Whether the sender was on no sanctions list when the deposit became final. */
function isClean({ listedSenderId }: PaymentDeposit): boolean {
  return listedSenderId === null;
}

import { Injectable } from '@nestjs/common';
import type { Environment } from '../../domain/network.js';
import { transfer } from '../../domain/posting.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import type { Booking } from '../../ledger/new-entry.js';
import { systemAccount } from '../../ledger/system-accounts.js';
import { type DepositAccounts, type PocketOf, PocketsService } from '../../ledger/pockets.service.js';
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
    const due = paid.filter(({ booked }) => booked.length > 0);
    const keys = due.map(({ intent }) => pocketOf(intent));
    const found = keys.length === 0 ? [] : await this.pockets.findDepositAccounts(tx, keys);
    const bookings: Booking[] = [];
    for (const [place, { intent, booked }] of due.entries()) {
      const accounts = found[place] ?? (await this.openPocket(tx, intent));
      bookings.push(...(await bookingsOf(tx, intent.environment, booked, accounts)));
    }
    await this.ledger.bookAll(tx, bookings);
  }

  private async openPocket(tx: Tx, intent: PaymentIntent): Promise<DepositAccounts> {
    const { environment, token, merchantId, chainRef, tokenDecimals } = intent;
    const { network, contract } = pocketOf(intent);
    if (chainRef === null || tokenDecimals === null) throw withoutQuote(intent);
    const { minorUnitExponent } = await row(tx, minorUnitExponentOf(chainRef, contract));
    const opened = { environment, network, contract, symbol: token, decimals: tokenDecimals, minorUnitExponent };
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

/** All payments of an intent are in one token on one chain, so there is one pocket for them. */
function pocketOf(intent: PaymentIntent): PocketOf {
  const { merchantId, environment, network, tokenContract: contract } = intent;
  if (contract === null) throw withoutQuote(intent);
  return { merchantId, environment, network, contract };
}

const withoutQuote = ({ id }: PaymentIntent): Error => new Error(`Payment intent ${id} has deposits and no quote.`);

async function bookingsOf(
  tx: Tx,
  environment: Environment,
  due: readonly PaymentDeposit[],
  { asset, chainAccountId, availableAccountId }: DepositAccounts,
): Promise<readonly Booking[]> {
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

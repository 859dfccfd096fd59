import { Injectable } from '@nestjs/common';
import { transfer } from '../../domain/posting.js';
import { type Booking, LedgerService } from '../../ledger/ledger.service.js';
import { systemAccount } from '../../ledger/system-accounts.js';
import { PocketsService } from '../../ledger/pockets.service.js';
import { type Tx, sql, sqlOne } from '../../platform/database/database.js';
import type { Deposit } from '../deposits/deposit.entity.js';
import type { PaymentIntent } from './payment-intent.entity.js';

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

  /** Books the final deposits that are on chain and not booked yet, stores `late`, and returns those booked now. */
  async book(tx: Tx, intent: PaymentIntent, deposits: readonly Deposit[]): Promise<readonly Deposit[]> {
    const due = deposits.filter(
      ({ status, bookedAt, goneAt }) => status === 'confirmed' && bookedAt === null && goneAt === null,
    );
    if (due.length > 0) await this.post(tx, intent, due);
    for (const deposit of due) {
      deposit.bookedAt = new Date();
      if (!isClean(deposit)) deposit.heldAs = 'frozen';
    }
    await this.store(tx, deposits, due);
    return due;
  }

  /** All payments of an intent are in one token on one chain, so there is one pocket for them. */
  private async post(tx: Tx, intent: PaymentIntent, due: readonly Deposit[]): Promise<void> {
    const { environment, network, token, merchantId, chainRef, tokenContract, tokenDecimals } = intent;
    if (chainRef === null || tokenContract === null || tokenDecimals === null) {
      throw new Error(`Payment intent ${intent.id} has deposits and no quote.`);
    }
    const { minor_unit_exponent: minorUnitExponent } = await sqlOne<{ minor_unit_exponent: number }>(
      tx,
      `select minor_unit_exponent from chain_token where chain_ref = $1 and contract = $2`,
      [chainRef, tokenContract],
    );
    const accounts = await this.pockets.depositAccounts(
      tx,
      { merchantId, environment },
      { environment, network, contract: tokenContract, symbol: token, decimals: tokenDecimals, minorUnitExponent },
    );
    const { asset, chainAccountId, availableAccountId } = accounts;
    const booking = (deposit: Deposit, accountId: number): Booking => ({
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

  private async store(tx: Tx, deposits: readonly Deposit[], booked: readonly Deposit[]): Promise<void> {
    if (deposits.length === 0) return;
    const bookedIds = new Set(booked.map((deposit) => deposit.id));
    await sql(
      tx,
      `update deposit set late = fact.late, credited_at = case when fact.credited then now() else credited_at end,
              held_as = case when fact.credited and deposit.listed_sender_id is not null then 'frozen'
                             else deposit.held_as end
         from unnest($1::text[], $2::boolean[], $3::boolean[]) as fact (id, late, credited)
        where deposit.id = fact.id and (deposit.late is distinct from fact.late or fact.credited)`,
      [
        deposits.map((deposit) => deposit.id),
        deposits.map((deposit) => deposit.late ?? false),
        deposits.map((deposit) => bookedIds.has(deposit.id)),
      ],
    );
  }
}

/** Whether the sender was on no sanctions list when the deposit became final. */
function isClean({ listedSenderId }: Deposit): boolean {
  return listedSenderId === null;
}

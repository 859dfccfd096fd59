import { Injectable } from '@nestjs/common';
import { formatUnits } from '../domain/money.js';
import { transfer } from '../domain/posting.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { systemAccount } from '../ledger/system-accounts.js';
import { recordAction, type StaffOrder } from '../platform/audit-trail.js';
import { Database, row, rows, type Tx } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import {
  countReversals,
  kindOfSource,
  markRestored,
  markReversed,
  type ReversedFrom,
} from './deposit-decisions.sql.js';
import { decided, invalidState, onItsWay } from './deposit-refusals.js';
import { type LockedDeposit, lockDeposit, moneyText } from './locked-deposit.js';
import { pendingReversals, type ReorgedPage } from './staff-deposits.sql.js';

/** A deposit of which the books and the chain say different things. */
export interface ReorgedDeposit extends Omit<
  RowOf<typeof pendingReversals>,
  'since' | 'symbol' | 'decimals' | 'amount' | 'blockHeight'
> {
  /** When it was reorged or booked out, ISO 8601. */
  readonly since: string;
  readonly token: string;
  readonly amountDecimal: string;
  readonly blockNumber: number;
}

/** Books out final deposits that a reorg removed, and books in again those that came back. */
@Injectable()
export class DepositReversals {
  constructor(
    private readonly database: Database,
    private readonly ledger: LedgerService,
  ) {}

  /**
   * Returns the deposits to decide about, the oldest first. One that was reorged before it was booked needs no
   * decision.
   */
  async pending(limit: number, page: ReorgedPage = {}): Promise<readonly ReorgedDeposit[]> {
    const found = await this.database.rows(pendingReversals(limit, page));
    return found.map(({ since, symbol, decimals, amount, blockHeight, ...deposit }) => ({
      ...deposit,
      since: new Date(since).toISOString(),
      token: symbol,
      amountDecimal: formatUnits(BigInt(amount), decimals),
      blockNumber: Number(blockHeight),
    }));
  }

  /**
   * Books a reorged deposit out of the account that has it. Money that was credited to a merchant stays the merchant's,
   * whose pocket is never overdrawn: the loss is ours to claim, so it is booked to the receivable account. An intent
   * that has ended keeps its status. An open one is marked when the deposit was frozen or kept, and may end, since
   * nothing waits for that deposit. A restored deposit may be reorged again, and is booked out again. Returns the money
   * in words.
   * @throws DomainError not_found, invalid_state_transition
   */
  async reverse(tx: Tx, id: string, order: StaffOrder): Promise<string> {
    const deposit = await lockDeposit(tx, id);
    if (deposit.isReversed) throw await decided(tx, id, 'It is reversed already');
    if (!deposit.isReorged) throw invalidState('No reorg has removed it from the chain.');
    if (!deposit.isBooked) throw invalidState('It was not booked, and will not be while it is off the chain.');
    // The end of the refund decides whether the money is lost.
    if (deposit.heldAs === 'returning') throw await onItsWay(tx, id);
    const { environment, asset, amount } = deposit;
    const account = accountHolding(deposit);
    const times = await timesReversed(tx, id);
    await this.ledger.book(tx, {
      reference: referenceOf('reversal', id, times + 1),
      kind: 'reversal',
      environment,
      legs: transfer({
        from: await systemAccount(tx, account, environment, asset),
        to: await systemAccount(tx, 'chain', environment, asset),
        asset,
        amount,
      }),
    });
    await rows(tx, markReversed(id));
    await recordAction(tx, { ...order, action: 'deposit.reverse', subject: id, details: { from: account } });
    return moneyText(deposit);
  }

  /**
   * Books a reversed deposit in again, to the account it was booked out of, once it is back on the chain. Returns the
   * money in words.
   * @throws DomainError not_found, invalid_state_transition
   */
  async restore(tx: Tx, id: string, order: StaffOrder): Promise<string> {
    const deposit = await lockDeposit(tx, id);
    if (deposit.isRestored) throw await decided(tx, id, 'It is restored already');
    if (!deposit.isReversed) throw invalidState('It is not reversed.');
    if (deposit.isReorged) throw invalidState('It is not back on the chain.');
    const { environment, asset, amount } = deposit;
    const times = await timesReversed(tx, id);
    const { kind } = await row(tx, kindOfSource(referenceOf('reversal', id, times)));
    await this.ledger.book(tx, {
      reference: referenceOf('restoration', id, times),
      kind: 'restoration',
      environment,
      legs: transfer({
        from: await systemAccount(tx, 'chain', environment, asset),
        to: await systemAccount(tx, kind, environment, asset),
        asset,
        amount,
      }),
    });
    const holding = kind === 'receivable' ? null : kind;
    await rows(tx, markRestored(id, holding));
    await recordAction(tx, { ...order, action: 'deposit.restore', subject: id, details: { to: kind } });
    return moneyText(deposit);
  }
}

/** A deposit can be reorged more than once: each time is booked, under a number from the second on. */
const referenceOf = (kind: 'reversal' | 'restoration', id: string, time: number): string =>
  time === 1 ? `${kind}:${id}` : `${kind}:${id}:${time}`;

async function timesReversed(tx: Tx, id: string): Promise<number> {
  const { count } = await row(tx, countReversals(id));
  return count;
}

/** Money that is in no pocket yet is booked out of the account that has it. */
function accountHolding({ heldAs }: LockedDeposit): ReversedFrom {
  if (heldAs === null) return 'receivable';
  return heldAs === 'suspense' ? 'suspense' : 'frozen';
}

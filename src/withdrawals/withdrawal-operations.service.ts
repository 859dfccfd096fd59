import { Injectable } from '@nestjs/common';
import { notFound } from '../domain/errors.js';
import { formatUnits } from '../domain/money.js';
import { standingText } from '../domain/outgoing-payment.js';
import { recordAction, type StaffOrder } from '../platform/audit-trail.js';
import { Database, rows, type Tx } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { expectCancellable } from '../treasury/transactions/cancellable.js';
import { isOverdue } from '../treasury/transactions/payment-standing.js';
import type { UnrecordedMarks } from '../treasury/transactions/unrecorded-payments.js';
import { alreadyEnded } from './already-ended.js';
import { WithdrawalOutcomeHandler } from './payouts/withdrawal-outcome-handler.service.js';
import { openWithdrawals, wantedFunds } from './withdrawal-operations.sql.js';
import { Withdrawal } from './withdrawal.entity.js';
import { lockWithdrawal } from './withdrawals.sql.js';

/** A withdrawal that has not ended. */
export interface OpenWithdrawal extends Omit<
  RowOf<typeof openWithdrawals>,
  'amount' | 'tokenDecimals' | 'age' | 'waited' | 'newUntil'
> {
  /** Whole tokens, decimal. */
  readonly amount: string;
  /** Since the order. */
  readonly ageSeconds: number;
  /** The standing in words, with the time when it ends automatically if that is known. */
  readonly reason: string;
  /** True when an operator should investigate. */
  readonly isOverdue: boolean;
}

/** An unsigned withdrawal, described like a payment on the chain. */
export interface UnsignedWithdrawal {
  readonly id: string;
  /** ISO 8601. */
  readonly orderedAt: string;
  /** Whole tokens with their symbol. */
  readonly amount: string;
  readonly destination: string;
}

/** The funds that unsigned withdrawals and refunds need from a hot wallet, in smallest units of one token. */
export interface WantedFunds extends Omit<RowOf<typeof wantedFunds>, 'amount'> {
  readonly amount: bigint;
}

/** Lists withdrawals for staff, and cancels them. */
@Injectable()
export class WithdrawalOperations {
  constructor(
    private readonly database: Database,
    private readonly outcomes: WithdrawalOutcomeHandler,
  ) {}

  /** Returns the withdrawals that have not ended, the oldest first. */
  async open(limit: number): Promise<OpenWithdrawal[]> {
    const open = await this.database.rows(openWithdrawals(limit));
    return open.map(({ amount, tokenDecimals, age, waited, newUntil, ...row }) => ({
      ...row,
      amount: formatUnits(BigInt(amount), tokenDecimals),
      ageSeconds: Math.max(0, age),
      reason: standingText(row.standing, newUntil === null ? null : new Date(newUntil)),
      isOverdue: isOverdue(row.standing, waited),
    }));
  }

  /** Returns the unsigned withdrawals of a chain, the oldest first. */
  async unsignedOn(chainRef: string, limit: number): Promise<UnsignedWithdrawal[]> {
    const unsigned = await this.database
      .em()
      .find(
        Withdrawal,
        { status: 'broadcasting', signedAt: null, chainRef },
        { orderBy: { createdAt: 'asc', id: 'asc' }, limit },
      );
    return unsigned.map(({ id, createdAt, amount, token, tokenDecimals, destination }) => ({
      id,
      orderedAt: createdAt.toISOString(),
      amount: `${formatUnits(amount, tokenDecimals)} ${token}`,
      destination,
    }));
  }

  /** Returns the funds that unsigned payments need, by chain and token. */
  async wanted(): Promise<WantedFunds[]> {
    const wanted = await this.database.rows(wantedFunds);
    return wanted.map((row) => ({ ...row, amount: BigInt(row.amount) }));
  }

  /** Returns the chain that pays a withdrawal. @throws DomainError not_found */
  async chainOf(id: string): Promise<string> {
    const withdrawal = await this.database.em().findOne(Withdrawal, { id });
    if (withdrawal === null) throw notFound('withdrawal');
    return withdrawal.chainRef;
  }

  /**
   * Cancels a withdrawal that was never signed, and returns its funds to the pocket. The vault locks the same row before it
   * signs, so only one of the two succeeds.
   * @param unknown Read from the chain just now.
   * @throws DomainError not_found, invalid_state_transition
   */
  async cancel(tx: Tx, id: string, staff: StaffOrder, unknown: UnrecordedMarks): Promise<void> {
    const [row] = await rows(tx, lockWithdrawal(id));
    if (row === undefined) throw notFound('withdrawal');
    if (row.status !== 'broadcasting') throw await alreadyEnded(tx, row);
    const { chainRef, signedAt } = row;
    const isSigned = signedAt !== null;
    const order = { purpose: 'withdrawal', purposeId: id, chainRef, isSigned, word: 'withdrawal' } as const;
    await expectCancellable(tx, order, unknown);
    await this.outcomes.fail(tx, id, 'cancelled', null);
    await recordAction(tx, { ...staff, action: 'withdrawal.cancel', subject: id });
  }
}

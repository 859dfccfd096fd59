import { Injectable } from '@nestjs/common';
import { notFound } from '../../domain/errors.js';
import { formatUnits } from '../../domain/money.js';
import { Database } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { isOverdue, type StandingCount } from '../../treasury/transactions/payment-standing.js';
import {
  type RecordedVerdict,
  type TransactionRecord,
  transactionRecord,
  verdictsOn,
} from '../../treasury/transactions/transaction-record.js';
import type { RefundStanding, RefundWaitingReason } from './refund-standing.js';
import { findRefund, openRefunds, refundStandings, unsignedRefunds } from './refund-views.sql.js';

type RefundRow = RowOf<typeof openRefunds>;

/** A refund as staff see it. */
export interface RefundView extends Omit<
  RefundRow,
  'symbol' | 'decimals' | 'amount' | 'standing' | 'createdAt' | 'age' | 'waited'
> {
  readonly token: string;
  /** Whole tokens, decimal. */
  readonly amount: string;
  /** Null once it has ended. */
  readonly standing: RefundStanding | null;
  /** ISO 8601. */
  readonly orderedAt: string;
  /** Since the order. */
  readonly ageSeconds: number;
  /** True when an operator should investigate. */
  readonly isOverdue: boolean;
}

/** The details of one refund. */
export interface RefundDetails extends TransactionRecord {
  readonly view: RefundView;
  /** The oldest first, including the decisions of staff about the deposit. */
  readonly verdicts: readonly RecordedVerdict[];
}

/** Reads refunds for staff. */
@Injectable()
export class RefundReader {
  constructor(private readonly database: Database) {}

  /** Returns the refunds that have not ended, the oldest first. */
  async open(limit: number): Promise<readonly RefundView[]> {
    return (await this.database.rows(openRefunds(limit))).map(viewOf);
  }

  /** Returns the unsigned refunds of a chain, the oldest first. */
  async unsignedOn(chainRef: string, limit: number): Promise<readonly RefundView[]> {
    return (await this.database.rows(unsignedRefunds(chainRef, limit))).map(viewOf);
  }

  /** Returns how many open refunds have which standing. */
  async standings(): Promise<readonly StandingCount<RefundWaitingReason>[]> {
    const found = await this.database.rows(refundStandings);
    return found.map(({ oldest, ...row }) => ({ ...row, oldestSeconds: Math.max(0, oldest) }));
  }

  /** Returns a refund by its id, or the newest refund of the deposit with this id. @throws DomainError not_found */
  async of(id: string): Promise<RefundDetails> {
    const [row] = await this.database.rows(findRefund(id));
    if (row === undefined) throw notFound('refund');
    const about = { purposeId: row.id, subjects: [row.id, row.depositId] };
    return {
      view: viewOf(row),
      ...(await transactionRecord(this.database, 'deposit_return', row.id)),
      verdicts: await verdictsOn(this.database, 'deposit_return', about),
    };
  }
}

function viewOf({ symbol, decimals, amount, standing, createdAt, age, waited, ...refund }: RefundRow): RefundView {
  const isOpen = refund.status === 'broadcasting';
  return {
    ...refund,
    token: symbol,
    amount: formatUnits(BigInt(amount), decimals),
    standing: isOpen ? standing : null,
    orderedAt: new Date(createdAt).toISOString(),
    ageSeconds: Math.max(0, age),
    isOverdue: isOpen && isOverdue(standing, waited),
  };
}

import { Injectable } from '@nestjs/common';
import { notFound } from '../../domain/errors.js';
import { formatUnits } from '../../domain/money.js';
import type { Environment, Network } from '../../domain/network.js';
import type { WithdrawalStatus } from '../../domain/withdrawal.js';
import { Database } from '../../platform/database/database.js';
import { isOverdue, standingColumn, type StandingCount } from '../../treasury/transactions/payment-standing.js';
import {
  type RecordedVerdict,
  type TransactionRecord,
  transactionRecord,
  verdictsOn,
} from '../../treasury/transactions/transaction-record.js';
import type { RefundFailureCode, RefundStanding } from './refund-standing.js';

/** A refund as staff see it. */
export interface RefundView {
  readonly id: string;
  readonly depositId: string;
  readonly chainRef: string;
  readonly environment: Environment;
  readonly network: Network;
  readonly token: string;
  /** Whole tokens, decimal. */
  readonly amount: string;
  readonly destination: string;
  readonly status: WithdrawalStatus;
  /** Null once it has ended. */
  readonly standing: RefundStanding | null;
  readonly failureCode: RefundFailureCode | null;
  readonly txHash: string | null;
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

interface RefundRow {
  id: string;
  deposit_id: string;
  chain_ref: string;
  environment: Environment;
  network: Network;
  symbol: string;
  decimals: number;
  amount: string;
  destination: string;
  status: WithdrawalStatus;
  standing: RefundStanding;
  failure_code: RefundFailureCode | null;
  tx_hash: string | null;
  created_at: string;
  age: number;
  waited: number;
}

const REFUNDS = `
  select deposit_return.id, deposit_return.deposit_id, deposit.chain_ref, chain.environment, chain.network, token.symbol, token.decimals,
         deposit.amount, deposit_return.destination, deposit_return.status, deposit_return.failure_code,
         deposit_return.tx_hash, deposit_return.created_at, ${standingColumn('deposit_return')} as standing,
         extract(epoch from clock_timestamp() - deposit_return.created_at)::int as age,
         extract(epoch from clock_timestamp() - coalesce(signed_at, deposit_return.created_at))::int as waited
    from deposit_return join deposit on deposit.id = deposit_return.deposit_id
    join chain on chain.id = deposit.chain_ref
    join chain_token token on token.chain_ref = deposit.chain_ref and token.contract = deposit.token_contract`;

/** Reads refunds for staff. */
@Injectable()
export class RefundReader {
  constructor(private readonly database: Database) {}

  /** Returns the refunds that have not ended, the oldest first. */
  async open(limit: number): Promise<readonly RefundView[]> {
    const rows = await this.database.query<RefundRow>(
      `${REFUNDS} where deposit_return.status = 'broadcasting'
        order by deposit_return.created_at, deposit_return.id limit $1`,
      [limit],
    );
    return rows.map(viewOf);
  }

  /** Returns the unsigned refunds of a chain, the oldest first. */
  async unsignedOn(chainRef: string, limit: number): Promise<readonly RefundView[]> {
    const rows = await this.database.query<RefundRow>(
      `${REFUNDS} where deposit_return.status = 'broadcasting' and signed_at is null and deposit.chain_ref = $1
        order by deposit_return.created_at, deposit_return.id limit $2`,
      [chainRef, limit],
    );
    return rows.map(viewOf);
  }

  /** Returns how many open refunds have which standing. */
  async standings(): Promise<readonly StandingCount<RefundStanding>[]> {
    const rows = await this.database.query<{ standing: RefundStanding; count: number; oldest: number }>(
      `select ${standingColumn('deposit_return')} as standing, count(*)::int as count,
              max(extract(epoch from clock_timestamp() - coalesce(signed_at, created_at)))::int as oldest
         from deposit_return where status = 'broadcasting' group by 1 order by 3 desc`,
    );
    return rows.map(({ standing, count, oldest }) => ({ standing, count, oldestSeconds: Math.max(0, oldest) }));
  }

  /** Returns a refund by its id, or the newest refund of the deposit with this id. @throws DomainError not_found */
  async of(id: string): Promise<RefundDetails> {
    const [row] = await this.database.query<RefundRow>(
      `${REFUNDS} where deposit_return.id = $1 or deposit_return.deposit_id = $1
        order by deposit_return.created_at desc, deposit_return.id desc limit 1`,
      [id],
    );
    if (row === undefined) throw notFound('refund');
    const about = { purposeId: row.id, subjects: [row.id, row.deposit_id] };
    return {
      view: viewOf(row),
      ...(await transactionRecord(this.database, 'deposit_return', row.id)),
      verdicts: await verdictsOn(this.database, 'deposit_return', about),
    };
  }
}

function viewOf(row: RefundRow): RefundView {
  const isOpen = row.status === 'broadcasting';
  return {
    id: row.id,
    depositId: row.deposit_id,
    chainRef: row.chain_ref,
    environment: row.environment,
    network: row.network,
    token: row.symbol,
    amount: formatUnits(BigInt(row.amount), row.decimals),
    destination: row.destination,
    status: row.status,
    standing: isOpen ? row.standing : null,
    failureCode: row.failure_code,
    txHash: row.tx_hash,
    orderedAt: new Date(row.created_at).toISOString(),
    ageSeconds: Math.max(0, row.age),
    isOverdue: isOpen && isOverdue(row.standing, row.waited),
  };
}

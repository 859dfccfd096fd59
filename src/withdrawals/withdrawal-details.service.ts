import { Injectable } from '@nestjs/common';
import { notFound } from '../domain/errors.js';
import type { Standing } from '../domain/outgoing-payment.js';
import { Database, sql } from '../platform/database/database.js';
import { detached } from '../platform/database/detached.js';
import { standingColumn } from '../treasury/transactions/payment-standing.js';
import {
  type RecordedVerdict,
  type TransactionRecord,
  transactionRecord,
  verdictsOn,
} from '../treasury/transactions/transaction-record.js';
import { similarDestinations } from './policies/similar-destinations.js';
import { NEW_UNTIL } from './policies/withdrawal-rules.sql.js';
import { Withdrawal } from './withdrawal.entity.js';

/** A sweep that brings funds in the same token to the same hot wallet. */
export interface ExpectedSweep {
  readonly id: string;
  /** `planned`, `signed` or `sent`. */
  readonly progress: string;
  /** Smallest units, by the books. */
  readonly expected: bigint;
}

/** The details of one withdrawal. */
export interface WithdrawalDetails extends TransactionRecord {
  readonly withdrawal: Withdrawal;
  /** Null once it has ended. */
  readonly standing: Standing | null;
  /** When its destination stops being new; null when it is not new. */
  readonly newUntil: Date | null;
  /** Other destinations of the merchant that look like this one. */
  readonly similar: readonly string[];
  /** While funds are missing: the open sweeps that bring some, the oldest first. */
  readonly sweeps: readonly ExpectedSweep[];
  /** The oldest first. */
  readonly verdicts: readonly RecordedVerdict[];
}

interface DetailsRow {
  standing: Standing;
  new_until: string | null;
}

/** Reads the details of one withdrawal for staff. */
@Injectable()
export class WithdrawalDetailsReader {
  constructor(private readonly database: Database) {}

  /** @throws DomainError not_found */
  async of(id: string): Promise<WithdrawalDetails> {
    const em = this.database.em();
    const [row] = await sql<Record<string, unknown> & DetailsRow>(
      em,
      `select *, ${standingColumn('withdrawal')} as standing,
              case when waiting_reason = 'new_destination' then ${NEW_UNTIL} end as new_until
         from withdrawal where id = $1`,
      [id],
    );
    if (row === undefined) throw notFound('withdrawal');
    const withdrawal = detached(em, Withdrawal, row);
    return {
      withdrawal,
      standing: withdrawal.status === 'broadcasting' ? row.standing : null,
      newUntil: row.new_until === null ? null : new Date(row.new_until),
      similar: await similarDestinations(em, withdrawal),
      sweeps: row.standing === 'coins_missing' ? await this.sweeps(withdrawal) : [],
      ...(await transactionRecord(this.database, 'withdrawal', id)),
      verdicts: await verdictsOn(this.database, 'withdrawal', { purposeId: id, subjects: [id] }),
    };
  }

  private async sweeps({ chainRef, tokenContract }: Withdrawal): Promise<ExpectedSweep[]> {
    const rows = await this.database.query<Omit<ExpectedSweep, 'expected'> & { expected: string }>(
      `select sweep.id, sum(item.expected) as expected,
              case when sweep.signed_at is null then 'planned' when transaction.broadcast_at is null then 'signed'
                   else 'sent' end as progress
         from sweep_item item
         join sweep on sweep.id = item.sweep_id
         left join chain_transaction transaction
           on transaction.purpose = 'sweep' and transaction.purpose_id = sweep.id
        where item.chain_ref = $1 and item.token_contract = $2 and item.swept is null
        group by sweep.id, transaction.broadcast_at order by sweep.created_at, sweep.id`,
      [chainRef, tokenContract],
    );
    return rows.map((row) => ({ ...row, expected: BigInt(row.expected) }));
  }
}

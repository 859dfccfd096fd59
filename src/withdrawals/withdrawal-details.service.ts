import { Injectable } from '@nestjs/common';
import { notFound } from '../domain/errors.js';
import type { Standing } from '../domain/outgoing-payment.js';
import type { StaffStep } from '../domain/withdrawal.js';
import { Database, rows } from '../platform/database/database.js';
import { entityOf } from '../platform/database/entity-of.js';
import type { RowOf } from '../platform/sql/sql.js';
import {
  type RecordedVerdict,
  type TransactionRecord,
  transactionRecord,
  verdictsOn,
} from '../treasury/transactions/transaction-record.js';
import { similarDestinations } from './policies/similar-destinations.js';
import { expectedSweeps, findDetails } from './withdrawal-details.sql.js';
import { Withdrawal } from './withdrawal.entity.js';

/** A sweep that brings funds in the same token to the same hot wallet. */
export interface ExpectedSweep extends Omit<RowOf<typeof expectedSweeps>, 'expected'> {
  /** Smallest units, by the books. */
  readonly expected: bigint;
}

/** The details of one withdrawal. */
export interface WithdrawalDetails extends TransactionRecord {
  readonly withdrawal: Withdrawal;
  /** Null once it has ended. */
  readonly standing: Standing | null;
  /** What staff must do before it is signed; null when nothing. */
  readonly waitsFor: StaffStep | null;
  /** What the books have moved back to the pocket, in smallest units; null for nothing. */
  readonly returned: bigint | null;
  /** When its destination stops being new; null when it is not new. */
  readonly newUntil: Date | null;
  /** Other destinations of the merchant that look like this one. */
  readonly similar: readonly string[];
  /** While funds are missing: the open sweeps that bring some, the oldest first. */
  readonly sweeps: readonly ExpectedSweep[];
  /** The oldest first. */
  readonly verdicts: readonly RecordedVerdict[];
}

/** Reads the details of one withdrawal for staff. */
@Injectable()
export class WithdrawalDetailsReader {
  constructor(private readonly database: Database) {}

  /** @throws DomainError not_found */
  async of(id: string): Promise<WithdrawalDetails> {
    const em = this.database.em();
    const [row] = await rows(em, findDetails(id));
    if (row === undefined) throw notFound('withdrawal');
    const withdrawal = entityOf(em, Withdrawal, row);
    return {
      withdrawal,
      standing: withdrawal.status === 'broadcasting' ? row.standing : null,
      waitsFor: row.waitsFor,
      returned: row.returned === null ? null : BigInt(row.returned),
      newUntil: row.newUntil === null ? null : new Date(row.newUntil),
      similar: await similarDestinations(em, withdrawal),
      sweeps: row.standing === 'coins_missing' ? await this.sweeps(withdrawal) : [],
      ...(await transactionRecord(this.database, 'withdrawal', id)),
      verdicts: await verdictsOn(this.database, 'withdrawal', { purposeId: id, subjects: [id] }),
    };
  }

  private async sweeps(withdrawal: Withdrawal): Promise<ExpectedSweep[]> {
    const sweeps = await this.database.rows(expectedSweeps(withdrawal));
    return sweeps.map((sweep) => ({ ...sweep, expected: BigInt(sweep.expected) }));
  }
}

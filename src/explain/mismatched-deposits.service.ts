import { Injectable } from '@nestjs/common';
import { invalidParam } from '../domain/errors.js';
import { Deposit, type DepositHolding, type UnattributedReason } from '../payments/deposits/deposit.entity.js';
import { type StaffDeposit, staffDepositOf } from '../payments/deposits/staff-deposit.js';
import { unattributedReasonText } from '../payments/deposits/unattributed-reason.js';
import { Database } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { countMismatched, type MismatchedDepositsFilter, mismatchedPage } from './mismatched-deposits.sql.js';

/** Why staff check a deposit: it counts for no intent, or it came after its intent had ended. */
export const MISMATCH_REASONS = [
  'other_network',
  'other_token',
  'address_not_assigned',
  'after_the_end',
] as const satisfies readonly (UnattributedReason | 'after_the_end')[];
export type MismatchReason = (typeof MISMATCH_REASONS)[number];

/** One page of them: after the deposit of this id, in the order of the list. */
export interface MismatchedDepositsPage extends MismatchedDepositsFilter {
  readonly limit: number;
  readonly after: string | null;
}

/** A deposit that did not pay an intent as intended. */
export interface MismatchedDeposit extends StaffDeposit {
  readonly seenAt: string;
  readonly blockNumber: number;
  readonly status: 'pending' | 'confirmed';
  readonly heldAs: DepositHolding | null;
  readonly reason: MismatchReason;
  /** In plain words. */
  readonly explanation: string;
}

type MismatchedRow = RowOf<typeof mismatchedPage>;

/** Lists all deposits that did not pay an intent as intended, also pending and resolved ones: for staff, over all merchants. */
@Injectable()
export class MismatchedDeposits {
  constructor(private readonly database: Database) {}

  /** How many there are, by reason. */
  async counts(filter: MismatchedDepositsFilter): Promise<Readonly<Record<MismatchReason, number>>> {
    const counted = { other_network: 0, other_token: 0, address_not_assigned: 0, after_the_end: 0 };
    for (const { reason, count } of await this.database.rows(countMismatched(filter))) counted[reason] = Number(count);
    return counted;
  }

  /** Up to `limit` deposits, newest first. @throws DomainError invalid_request when `after` is no deposit. */
  async page({ limit, after: id, ...filter }: MismatchedDepositsPage): Promise<readonly MismatchedDeposit[]> {
    const seenAt = id === null ? null : await this.seenAt(id);
    const rows = await this.database.rows(mismatchedPage(filter, { seenAt, id }, limit));
    return rows.map(mismatchedDepositOf);
  }

  private async seenAt(id: string): Promise<string> {
    const deposit = await this.database.em().findOne(Deposit, { id }, { fields: ['seenAt'] });
    if (deposit === null) throw invalidParam('after', `There is no deposit ${id}.`);
    return deposit.seenAt.toISOString();
  }
}

function mismatchedDepositOf(row: MismatchedRow): MismatchedDeposit {
  return {
    ...staffDepositOf(row),
    seenAt: new Date(row.seenAt).toISOString(),
    blockNumber: Number(row.blockHeight),
    status: row.status === 'seen' ? 'pending' : 'confirmed',
    heldAs: row.heldAs,
    reason: row.unattributedReason ?? 'after_the_end',
    explanation: explanationOf(row),
  };
}

function explanationOf(row: MismatchedRow): string {
  const { unattributedReason: reason, intentNetwork: network, intentToken: token } = row;
  const why =
    reason === null
      ? `after the end: the intent was ${row.intentStatus ?? 'over'}`
      : unattributedReasonText(reason, { network, token });
  const whereabouts = whereaboutsOf(row);
  return whereabouts === null ? why : `${why}; ${whereabouts}`;
}

/** Where the money is; null while it is not booked. */
function whereaboutsOf(row: MismatchedRow): string | null {
  if (row.isReversed) return 'booked out after a reorg removed it';
  if (row.heldAs === 'suspense') return 'it is in suspense';
  if (row.heldAs === 'returning') return 'on its way out to an address';
  if (row.heldAs !== null || (row.isListed && !row.isBooked))
    return 'frozen, since its sender is on the sanctions list';
  if (row.unattributedReason !== null) return row.isBooked ? 'resolved' : null;
  return row.status === 'confirmed' ? "credited to the merchant's pocket" : 'credited once it is final';
}

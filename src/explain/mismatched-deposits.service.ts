import { Injectable } from '@nestjs/common';
import { invalidParam } from '../domain/errors.js';
import type { IntentStatus } from '../domain/intent-state.js';
import type { Environment, Network } from '../domain/network.js';
import type { DepositHolding, UnattributedReason } from '../payments/deposits/deposit.entity.js';
import { type StaffDeposit, staffDepositOf, type StaffDepositRow } from '../payments/deposits/staff-deposit.js';
import { unattributedReasonText } from '../payments/deposits/unattributed-reason.js';
import { Database } from '../platform/database/database.js';

/** Why staff check a deposit: it counts for no intent, or it came after its intent had ended. */
export const MISMATCH_REASONS = [
  'other_network',
  'other_token',
  'address_not_assigned',
  'after_the_end',
] as const satisfies readonly (UnattributedReason | 'after_the_end')[];
export type MismatchReason = (typeof MISMATCH_REASONS)[number];

/** Which deposits to list; null = all. */
export interface MismatchedDepositsFilter {
  readonly environment: Environment | null;
  readonly network: Network | null;
}

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
  readonly reason: MismatchReason;
  /** In plain words. */
  readonly explanation: string;
}

interface MismatchedRow extends StaffDepositRow {
  seen_at: string;
  block_height: string;
  status: 'seen' | 'confirmed';
  unattributed_reason: UnattributedReason | null;
  held_as: DepositHolding | null;
  is_listed: boolean;
  is_booked: boolean;
  is_reversed: boolean;
  intent_status: IntentStatus | null;
  intent_network: Network | null;
  intent_token: string | null;
}

/** The condition of the index deposit_odd. */
const IS_MISMATCHED = `deposit.status <> 'orphaned' and (deposit.unattributed_reason is not null or deposit.late)`;
const IS_ASKED_FOR = `($1::text is null or chain.environment = $1) and ($2::text is null or chain.network = $2)`;

/** Chain by chain from the index, so that a page costs the same at any depth and with any filter. */
export const PAGE_STATEMENT = `
  select deposit.id, deposit.seen_at, deposit.token_contract, deposit.amount, deposit.tx_hash, deposit.block_height,
         deposit.status, deposit.unattributed_reason, deposit.held_as,
         deposit.listed_sender_id is not null as is_listed, deposit.credited_at is not null as is_booked, deposit.reversed_at is not null and deposit.restored_at is null as is_reversed, page.environment, page.network, token.symbol, token.decimals,
         address.address, intent.id as intent_id, intent.merchant_id, intent.status as intent_status,
         intent.network as intent_network, intent.token as intent_token
    from (
      select newest.id, newest.seen_at, chain.environment, chain.network
        from chain cross join lateral (
          select deposit.id, deposit.seen_at from deposit
           where deposit.chain_ref = chain.id and ${IS_MISMATCHED}
             and (deposit.seen_at, deposit.id) < (coalesce($4::timestamptz, 'infinity'), coalesce($5::text, ''))
           order by deposit.seen_at desc, deposit.id desc limit $3) newest
       where ${IS_ASKED_FOR}
       order by newest.seen_at desc, newest.id desc limit $3) page
    join deposit on deposit.id = page.id
    join pool_address address on address.id = deposit.address_id
    left join payment_intent intent on intent.id = address.intent_id
    left join chain_token token on token.chain_ref = deposit.chain_ref and token.contract = deposit.token_contract
   order by page.seen_at desc, page.id desc`;

const COUNT_STATEMENT = `
  select coalesce(deposit.unattributed_reason, 'after_the_end') as reason, count(*) as count
    from chain join deposit on deposit.chain_ref = chain.id
   where ${IS_ASKED_FOR} and ${IS_MISMATCHED} group by 1`;

/** Lists all deposits that did not pay an intent as intended, also pending and resolved ones: for staff, over all merchants. */
@Injectable()
export class MismatchedDeposits {
  constructor(private readonly database: Database) {}

  /** How many there are, by reason. */
  async counts({ environment, network }: MismatchedDepositsFilter): Promise<Readonly<Record<MismatchReason, number>>> {
    const rows = await this.database.query<{ reason: MismatchReason; count: string }>(COUNT_STATEMENT, [
      environment,
      network,
    ]);
    const counted = { other_network: 0, other_token: 0, address_not_assigned: 0, after_the_end: 0 };
    for (const { reason, count } of rows) counted[reason] = Number(count);
    return counted;
  }

  /** Up to `limit` deposits, newest first. @throws DomainError invalid_request when `after` is no deposit. */
  async page({ environment, network, limit, after }: MismatchedDepositsPage): Promise<readonly MismatchedDeposit[]> {
    const seenAt = after === null ? null : await this.seenAt(after);
    const rows = await this.database.query<MismatchedRow>(PAGE_STATEMENT, [environment, network, limit, seenAt, after]);
    return rows.map(mismatchedDepositOf);
  }

  private async seenAt(id: string): Promise<string> {
    const [row] = await this.database.query<{ seen_at: string }>(`select seen_at from deposit where id = $1`, [id]);
    if (row === undefined) throw invalidParam('after', `There is no deposit ${id}.`);
    return row.seen_at;
  }
}

function mismatchedDepositOf(row: MismatchedRow): MismatchedDeposit {
  return {
    ...staffDepositOf(row),
    seenAt: new Date(row.seen_at).toISOString(),
    blockNumber: Number(row.block_height),
    status: row.status === 'seen' ? 'pending' : 'confirmed',
    reason: row.unattributed_reason ?? 'after_the_end',
    explanation: explanationOf(row),
  };
}

function explanationOf(row: MismatchedRow): string {
  const { unattributed_reason: reason, intent_network: network, intent_token: token } = row;
  const why =
    reason === null
      ? `after the end: the intent was ${row.intent_status ?? 'over'}`
      : unattributedReasonText(reason, { network, token });
  const whereabouts = whereaboutsOf(row);
  return whereabouts === null ? why : `${why}; ${whereabouts}`;
}

/** Where the money is; null while it is not booked. */
function whereaboutsOf(row: MismatchedRow): string | null {
  if (row.is_reversed) return 'booked out after a reorg removed it';
  if (row.held_as === 'suspense') return 'it is in suspense';
  if (row.held_as === 'returning') return 'on its way out to an address';
  if (row.held_as !== null || (row.is_listed && !row.is_booked))
    return 'frozen, since its sender is on the sanctions list';
  if (row.unattributed_reason !== null) return row.is_booked ? 'resolved' : null;
  return row.status === 'confirmed' ? "credited to the merchant's pocket" : 'credited once it is final';
}

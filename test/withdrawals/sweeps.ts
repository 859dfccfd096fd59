import type { Database } from '../../src/platform/database/database.js';
import { query } from '../support/sql.js';

/** One balance in a sweep. */
export interface SweptBalance {
  readonly token: string;
  /** Lower case. */
  readonly address: string;
  /** Smallest units; null while it is under way. */
  readonly swept: bigint | null;
  /** Consecutive failures of this balance. */
  readonly failures: number;
}

/** A sweep with its transaction, by the database. */
export interface SweepView {
  readonly id: string;
  readonly reason: string;
  /** The status of its transaction; null before it is signed. */
  readonly status: string | null;
  readonly waitingReason: string | null;
  readonly isFinished: boolean;
  readonly minedHash: string | null;
  /** Wei; null until it is final. */
  readonly feePaid: bigint | null;
  /** Raw bytes of each signed version, in their order. */
  readonly attempts: readonly string[];
  readonly items: readonly SweptBalance[];
}

interface Row {
  id: string;
  reason: string;
  waiting_reason: string | null;
  status: string | null;
  is_finished: boolean;
  mined_hash: string | null;
  fee_paid: string | null;
  attempts: string[];
  items: { token: string; address: string; swept: string | null; failures: number }[];
}

/** Returns every sweep, the oldest first. */
export async function sweepsOf(database: Database): Promise<readonly SweepView[]> {
  const rows = await query<Row>(
    database,
    `select sweep.id, reason, waiting_reason, status, fee_paid, mined_hash,
            sweep.finished_at is not null as is_finished,
            array(select raw_transaction from transaction_attempt
                   where transaction_id = transaction.id order by number) as attempts,
            (select json_agg(json_build_object('token', item.token_contract, 'address', address_key,
                                               'swept', item.swept::text, 'failures', balance.failures)
                             order by position)
               from sweep_item item join pool_address on pool_address.id = item.address_id
               join deposit_balance balance on balance.chain_ref = item.chain_ref
                and balance.token_contract = item.token_contract and balance.address_id = item.address_id
              where item.sweep_id = sweep.id) as items
       from sweep left join chain_transaction transaction on purpose = 'sweep' and purpose_id = sweep.id
      order by sweep.created_at, sweep.id`,
  );
  return rows.map(({ items, fee_paid: feePaid, ...row }) => ({
    id: row.id,
    reason: row.reason,
    status: row.status,
    waitingReason: row.waiting_reason,
    isFinished: row.is_finished,
    minedHash: row.mined_hash,
    feePaid: feePaid === null ? null : BigInt(feePaid),
    attempts: row.attempts,
    items: items.map(({ swept, ...item }) => ({ ...item, swept: swept === null ? null : BigInt(swept) })),
  }));
}

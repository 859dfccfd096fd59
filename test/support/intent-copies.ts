import type { Database } from '../../src/platform/database/database.js';
import { query } from './sql.js';

const FIRST_INDEX = 1_000_000;
/** The number that one statement inserts within its timeout on a busy machine. */
const PER_STATEMENT = 2_500;

/** Copies an intent, each copy with its own address; returns the addresses in the order of the intents. */
export async function copiesOfIntent(database: Database, intentId: string, count: number): Promise<string[]> {
  for (let first = 1; first <= count; first += PER_STATEMENT) {
    const range = [first, Math.min(first + PER_STATEMENT - 1, count)];
    await query(
      database,
      `insert into payment_intent
       select copy.* from generate_series($1::int, $2::int) i
         join payment_intent original on original.id = $3
        cross join lateral (select '0x' || lpad(to_hex(1048576 + i), 40, '0') as address) made
        cross join lateral jsonb_populate_record(original,
          jsonb_build_object('id', 'pi_' || made.address, 'address', made.address)) copy`,
      [...range, intentId],
    );
    await query(
      database,
      `insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key,
         intent_id, assigned_at)
       select 'sandbox', 'evm', $3::int + i, 'm', address, address, 'pi_' || address, now()
         from generate_series($1::int, $2::int) i,
              lateral (select '0x' || lpad(to_hex(1048576 + i), 40, '0') as address) made`,
      [...range, FIRST_INDEX],
    );
  }
  const rows = await query<{ address: string }>(
    database,
    `select address from pool_address where derivation_index > $1 order by intent_id`,
    [FIRST_INDEX],
  );
  return rows.map((row) => row.address);
}

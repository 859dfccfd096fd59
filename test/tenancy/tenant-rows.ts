import type { Database } from '../../src/platform/database/database.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';

/**
 * Tables that change without requests and belong to no tenant, and the log of requests, which has those of the test itself.
 * All other tables are compared, including new ones.
 */
const NOBODYS = new Set([
  'api_request',
  'books_audit',
  'chain',
  'chain_block',
  'chain_cursor',
  'chain_token',
  'disproved_address',
  'fee_round',
  'hot_balance',
  'hourly_stat',
  'lease',
  'mikro_orm_migrations',
  'price_round',
  'rate_bucket',
  'rpc_node',
  'stocktaking',
  'sweep_contract',
  'vault_presence',
]);

/**
 * The compared columns of tables that are not compared whole: addresses are derived ahead, the use of a key is recorded,
 * and the nonces of a wallet are read from the chain.
 */
const SHOWN: Readonly<Record<string, string>> = {
  pool_address: `select xmin, row from pool_address row where intent_id is not null`,
  api_key: `select to_jsonb(row) - 'last_used_at' from api_key row`,
  hot_wallet: `select to_jsonb(row) - 'chain_nonce' from hot_wallet row`,
};

/**
 * Returns a checksum of the tenants' rows by table. A row that was written again with the same values counts as changed,
 * because its version is part of the sum.
 */
export async function tenantRows(database: Database): Promise<Record<string, string>> {
  const tables = await query<{ name: string }>(
    database,
    `select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' order by name`,
  );
  const sums: Record<string, string> = {};
  for (const { name } of tables.filter((table) => !NOBODYS.has(table.name))) {
    const rows = SHOWN[name] ?? `select xmin, row from "${name}" row`;
    const [sum] = await query<{ sum: string }>(
      database,
      `select count(*) || ' rows ' || md5(coalesce(string_agg(shown::text, ',' order by shown::text), '')) as sum
         from (${rows}) shown`,
    );
    sums[name] = sum?.sum ?? '';
  }
  return sums;
}

/** Waits until the service has finished all work. */
export async function untilIdle(database: Database): Promise<void> {
  await eventually(
    async () => {
      const [open] = await query<{ count: string }>(
        database,
        `select (select count(*) from dirty_intent) + (select count(*) from event where sequence is null)
            + (select count(*) from delivery where status = 'pending') + (select count(*) from unsealed_entry)
            + (select count(*) from unsealed_audit_entry)
            + (select count(*) from withdrawal where signed_at is null
                and waiting_reason is distinct from 'balance_unknown') as count`,
      );
      return Number(open?.count);
    },
    (seen) => seen === 0,
  );
}

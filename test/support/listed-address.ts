import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../../src/platform/database/database.js';
import { query } from './sql.js';

/** Puts an EVM address on the current sanctions list. */
export async function listAddress(on: Database | EntityManager, address: string): Promise<void> {
  await query(
    on,
    `insert into sanctioned_address (family, address_key, added_in)
     select 'evm', lower($1), max(id) from sanctions_import`,
    [address],
  );
}

import { type Database } from '../../src/platform/database/database.js';
import type { SqlParameter } from '../../src/platform/sql/sql.js';
import { query } from './sql.js';

/**
 * Changes rows of `pool_address` like a broken disk, without triggers and constraints. `change` is the part of the
 * statement after the name of the table.
 */
export async function asIfRotten(
  owner: Database,
  change: string,
  parameters: readonly SqlParameter[] = [],
): Promise<void> {
  await query(owner, `alter table pool_address drop constraint if exists pool_address_spelling_check`);
  await owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await query(tx, `update pool_address ${change}`, parameters);
  });
}

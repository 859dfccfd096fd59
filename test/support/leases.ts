import type { Database } from '../../src/platform/database/database.js';
import type { HeldLease } from '../../src/platform/leases.js';
import { query } from './sql.js';

/** This process holds the lease for an hour, unless somebody holds it already. */
export async function holdLease(database: Database, { name, epoch }: HeldLease): Promise<void> {
  await query(database, `insert into lease values ($1, 'us', $2, now() + interval '1 hour') on conflict do nothing`, [
    name,
    epoch,
  ]);
}

import type { Database } from '../../src/platform/database/database.js';
import { eventually } from './eventually.js';
import { query } from './sql.js';

/** Waits until a session of this database waits for a lock that another one holds. */
export async function untilOneWaitsForALock(database: Database): Promise<void> {
  await eventually(
    () =>
      query(database, `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
    (waiting) => waiting.length > 0,
  );
}

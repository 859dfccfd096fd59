import { rows, type Tx } from '../../platform/database/database.js';
import { updateReasons } from './waiting-orders.sql.js';

/** Records why orders of a table wait, by their ids. Returns the ids of those whose reason changed. */
export async function recordWaiting(
  tx: Tx,
  table: Parameters<typeof updateReasons>[0],
  reasons: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const changed = await rows(tx, updateReasons(table, reasons));
  return changed.map(({ id }) => id);
}

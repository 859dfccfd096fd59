import type { Database } from '../../platform/database/database.js';
import { recordUnchanged } from './chain-cursor.sql.js';
import type { StepToRecord } from './chain-cursor.js';

/**
 * Records a step that found the chain unchanged, in one statement: most steps do. Returns false, and writes nothing,
 * when there is more to do: balances were read, a waiting deposit could become final, or another process has the cursor
 * or the lease.
 */
export async function recordIdleCheck(
  database: Database,
  { chainRef, cursor, step, lease, readAt }: StepToRecord,
): Promise<boolean> {
  const { blocks, rollbackTo, balances } = step;
  const isSilent = blocks.length === 0 && rollbackTo === null && balances.length === 0;
  if (!isSilent || !step.isCaughtUp || step.finalizedHeight !== cursor.finalizedHeight) return false;
  const recorded = await database.rows(recordUnchanged(chainRef, cursor, { ...step, readAt }, lease));
  return recorded.length > 0;
}

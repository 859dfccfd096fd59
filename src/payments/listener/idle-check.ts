import type { Database } from '../../platform/database/database.js';
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
  const recorded = await database.query(
    `with leader as (select from lease where name = $1 and epoch = $2 for key share)
     update chain_cursor set head_height = $6, synced_at = $7, epoch = $2
      where chain_ref = $3 and height = $4 and hash = $5 and finalized_height = $8 and epoch <= $2
        and halted_reason is null and exists (select from leader)
        and not exists (select from deposit where chain_ref = $3 and status = 'seen' and block_height <= $8)
      returning chain_ref`,
    [lease.name, lease.epoch, chainRef, cursor.height, cursor.hash, step.headHeight, readAt, step.finalizedHeight],
  );
  return recorded.length > 0;
}

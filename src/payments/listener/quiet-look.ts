import type { Database } from '../../platform/database/database.js';
import type { HeldLease } from '../../platform/leases.js';
import type { ChainStep, Cursor } from './chain-reader.js';

/** A step that a listener read, and what it was read from. */
interface Look {
  readonly chainRef: string;
  readonly cursor: Cursor;
  readonly step: ChainStep;
  readonly lease: HeldLease;
  /** The database's time before the head was read. */
  readonly readAt: Date;
}

/**
 * Most looks find the chain as it was: one statement writes down that it was looked at. False when this is not all there
 * is to do, because balances were read, a deposit waits that could become final, or the cursor or the lease is
 * another's; nothing is written then.
 */
export async function noteQuietLook(
  database: Database,
  { chainRef, cursor, step, lease, readAt }: Look,
): Promise<boolean> {
  const { blocks, rollbackTo, balances } = step;
  const isSilent = blocks.length === 0 && rollbackTo === null && balances.length === 0;
  if (!isSilent || !step.isLevel || step.finalizedHeight !== cursor.finalizedHeight) return false;
  const noted = await database.query(
    `with leader as (select from lease where name = $1 and epoch = $2 for key share)
     update chain_cursor set head_height = $6, synced_at = $7, epoch = $2
      where chain_ref = $3 and height = $4 and hash = $5 and finalized_height = $8 and epoch <= $2
        and halted_reason is null and exists (select from leader)
        and not exists (select from deposit where chain_ref = $3 and status = 'seen' and block_height <= $8)
      returning chain_ref`,
    [lease.name, lease.epoch, chainRef, cursor.height, cursor.hash, step.headHeight, readAt, step.finalizedHeight],
  );
  return noted.length > 0;
}

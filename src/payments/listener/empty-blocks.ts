import type { Database } from '../../platform/database/database.js';
import { advanceOverBlocks } from './chain-cursor.sql.js';
import { endOf, type StepToRecord } from './chain-cursor.js';
import { lowestKept } from './recorded-blocks.js';

/**
 * Records a step whose blocks have no transfer to our addresses, in one statement: most blocks have none. Returns false, and
 * writes nothing, when there is more to do: a reorg, balances, a stored deposit that could become final or orphaned, or
 * another process that has the cursor or the lease.
 */
export async function recordEmptyBlocks(database: Database, read: StepToRecord): Promise<boolean> {
  const { chainRef, cursor, step, lease } = read;
  const { blocks, rollbackTo, balances } = step;
  const isEmpty = blocks.length > 0 && blocks.every(({ sightings }) => sightings.length === 0);
  if (!isEmpty || rollbackTo !== null || balances.length > 0) return false;
  const record = {
    blocks: blocks.map(({ header }) => header),
    lowestKept: lowestKept(step.finalizedHeight),
    held: lease,
  };
  const recorded = await database.rows(advanceOverBlocks(chainRef, cursor, endOf(read), record));
  return recorded.length > 0;
}

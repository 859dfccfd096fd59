import { type Database, rows, type Tx } from '../../platform/database/database.js';
import type { ReadBlock } from './chain-reader.js';
import { deleteBlocksBelow, findBlockHash, upsertBlocks } from './recorded-blocks.sql.js';

/** Blocks kept below finality: enough to find the ancestor of any reorg that finality allows. */
const BLOCKS_KEPT_BELOW_FINALITY = 64;

/** Returns the height below which no reorg can reach a block. */
export const lowestKept = (finalizedHeight: number): number => finalizedHeight - BLOCKS_KEPT_BELOW_FINALITY;

/** Returns the hash of a recorded block, or null when it is too old to be kept. */
export async function recordedHashAt(database: Database, chainRef: string, height: number): Promise<string | null> {
  const [row] = await database.rows(findBlockHash(chainRef, height));
  return row?.hash ?? null;
}

/** Stores the blocks, and deletes those that no reorg can reach. */
export async function storeBlocks(
  tx: Tx,
  chainRef: string,
  blocks: readonly ReadBlock[],
  finalizedHeight: number,
): Promise<void> {
  const headers = blocks.map(({ header }) => header);
  await rows(tx, upsertBlocks(chainRef, headers));
  await rows(tx, deleteBlocksBelow(chainRef, lowestKept(finalizedHeight)));
}

import { type Database, type Tx, sql } from '../../platform/database/database.js';
import type { ReadBlock } from './chain-reader.js';

/** Blocks kept below finality: enough to find the ancestor of any reorg that finality allows. */
const BLOCKS_KEPT_BELOW_FINALITY = 64;

/** Returns the hash of a recorded block, or null when it is too old to be kept. */
export async function recordedHashAt(database: Database, chainRef: string, height: number): Promise<string | null> {
  const [row] = await database.query<{ hash: string }>(
    `select hash from chain_block where chain_ref = $1 and height = $2`,
    [chainRef, height],
  );
  return row?.hash ?? null;
}

/** Stores the blocks, and deletes those that no reorg can reach. */
export async function storeBlocks(
  tx: Tx,
  chainRef: string,
  blocks: readonly ReadBlock[],
  finalizedHeight: number,
): Promise<void> {
  // Blocks that are stored already are read again after the cursor was set back.
  await sql(
    tx,
    `insert into chain_block (chain_ref, height, hash, parent_hash, block_time)
     select $1, * from unnest($2::bigint[], $3::text[], $4::text[], $5::timestamptz[])
     on conflict (chain_ref, height) do update
       set hash = excluded.hash, parent_hash = excluded.parent_hash, block_time = excluded.block_time`,
    [
      chainRef,
      blocks.map(({ header }) => header.height),
      blocks.map(({ header }) => header.hash),
      blocks.map(({ header }) => header.parentHash),
      blocks.map(({ header }) => header.time),
    ],
  );
  await sql(tx, `delete from chain_block where chain_ref = $1 and height < $2`, [
    chainRef,
    finalizedHeight - BLOCKS_KEPT_BELOW_FINALITY,
  ]);
}

/** Deletes the blocks that a reorg removed. */
export async function deleteBlocksAbove(tx: Tx, chainRef: string, height: number): Promise<void> {
  await sql(tx, `delete from chain_block where chain_ref = $1 and height > $2`, [chainRef, height]);
}

import { ChainBlock } from '../../offers/chain-block.entity.js';
import { given, unnest } from '../../platform/sql/given.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { columns, out, set, table } from '../../platform/sql/table.js';

const block = table(ChainBlock);
const excluded = table(ChainBlock, 'excluded');
const read = given('read', { height: 'bigint', hash: 'text', parentHash: 'text', time: 'timestamptz' });

/** A block to be recorded. */
export interface NewBlock {
  readonly height: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly time: Date;
}

/** Finds the hash of a recorded block. */
export const findBlockHash = (chainRef: string, height: number) => sql`
  select ${out(block, 'hash')} from ${block} where ${block.chainRef} = ${chainRef} and ${block.height} = ${height}`;

/** Stores blocks if the condition holds. Those that are stored already are read again after the cursor was set back. */
export const upsertBlocks = (chainRef: string, blocks: readonly NewBlock[], condition: SqlText = sql`true`) => sql`
  insert into ${block} ${columns(block, 'chainRef', 'height', 'hash', 'parentHash', 'blockTime')}
  select ${chainRef}, ${read.height}, ${read.hash}, ${read.parentHash}, ${read.time} from ${unnest(read, blocks)}
   where ${condition}
  on conflict ${columns(block, 'chainRef', 'height')} do update
    set ${set(block, { hash: excluded.hash, parentHash: excluded.parentHash, blockTime: excluded.blockTime })}`;

/** Deletes the blocks of a chain that no reorg can reach, if the condition holds. */
export const deleteBlocksBelow = (chainRef: string, height: number, condition: SqlText = sql`true`) => sql`
  delete from ${block} where ${block.chainRef} = ${chainRef} and ${block.height} < ${height} and ${condition}`;

/** Deletes the blocks that a reorg removed. */
export const deleteBlocksAbove = (chainRef: string, height: number) => sql`
  delete from ${block} where ${block.chainRef} = ${chainRef} and ${block.height} > ${height}`;

import { sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import { ChainBlock } from '../offers/chain-block.entity.js';
import { ChainCursor } from '../offers/chain-cursor.entity.js';

const cursor = table(ChainCursor);
const block = table(ChainBlock);

/** Finds the newest final block of a chain, if it is recorded. */
export const findFinalBlock = (chainRef: string) => sql`
  select ${out(block, 'height', 'hash')} from ${cursor}
    join ${block} on ${block.chainRef} = ${cursor.chainRef} and ${block.height} = ${cursor.finalizedHeight}
   where ${cursor.chainRef} = ${chainRef}`;

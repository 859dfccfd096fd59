import { Chain } from '../../offers/chain.entity.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';

const chain = table(Chain);

/** Reads the pools that active chains take addresses from. */
export const servedPools = sql`select distinct ${out(chain, 'environment', 'family')} from ${chain} where ${chain.active}`;

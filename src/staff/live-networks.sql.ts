import { Chain } from '../offers/chain.entity.js';
import { sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';

const chain = table(Chain);

/** Returns a chain of live, if any process has ever registered one. */
export const liveChain = sql`
  select ${out(chain, 'id')} from ${chain} where ${chain.environment} = 'live' limit 1`;

import { Chain } from '../../offers/chain.entity.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';

const chain = table(Chain);

/** Reads the environments with active chains. */
export const activeEnvironments = sql`select distinct ${out(chain, 'environment')} from ${chain} where ${chain.active}`;

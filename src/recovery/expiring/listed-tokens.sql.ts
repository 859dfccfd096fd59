import { ChainToken } from '../../offers/chain-token.entity.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';

const token = table(ChainToken);

/** Reads the tokens of a chain, enabled or not, and its coin. */
export const tokensOf = (chainRef: string) => sql`
  select ${out(token, 'contract', 'symbol', 'decimals')} from ${token}
   where ${token.chainRef} = ${chainRef} order by ${token.contract}`;

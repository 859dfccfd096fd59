import { Chain } from '../../offers/chain.entity.js';
import { ChainToken } from '../../offers/chain-token.entity.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';

const chain = table(Chain);
const token = table(ChainToken);

/** Finds a token of a chain if both are in use. */
export const findTokenInUse = (chainRef: string, contract: string) => sql`
  select ${out(token, 'contract')} from ${chain}
    join ${token} on ${token.chainRef} = ${chain.id} and ${token.contract} = ${contract} and ${token.enabled}
   where ${chain.id} = ${chainRef} and ${chain.active}`;

/** Finds a token of a chain. */
export const findToken = (chainRef: string, contract: string) => sql`
  select ${out(token, 'symbol', 'decimals')} from ${token} where ${token.chainRef} = ${chainRef} and ${token.contract} = ${contract}`;

import { ChainToken } from '../../../offers/chain-token.entity.js';
import { sql } from '../../../platform/sql/sql.js';
import { set, table } from '../../../platform/sql/table.js';

const token = table(ChainToken);

/** Stores the smallest payment of a token to an address without funds, if it has changed. */
export const setMinimumAmount = (chainRef: string, contract: string, minimumAmount: bigint) => sql`
  update ${token} set ${set(token, { minimumAmount })}
   where ${token.chainRef} = ${chainRef} and ${token.contract} = ${contract}
     and ${token.minimumAmount} is distinct from ${minimumAmount}`;

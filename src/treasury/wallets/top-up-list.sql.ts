import { ChainToken } from '../../offers/chain-token.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { TopUp } from './top-up.entity.js';

const topUp = table(TopUp);
const chain = table(Chain);
const token = table(ChainToken);

/** Which top-ups are read; null means any. */
interface TopUpsAfter {
  readonly environment: string | null;
  readonly network: string | null;
  readonly limit: number;
  /** The last id of the previous page. */
  readonly after: string | null;
}

/** Reads a page of top-ups, the newest first. */
export const topUpPage = ({ environment, network, limit, after }: TopUpsAfter) => sql`
  select ${out(topUp, 'id', 'foundAt', 'amount', 'fromHeight', 'toHeight')}, ${out(chain, 'environment', 'network')},
         ${out(token, 'symbol', 'decimals')}
    from ${topUp} join ${chain} on ${chain.id} = ${topUp.chainRef}
    join ${token} on ${token.chainRef} = ${topUp.chainRef} and ${token.contract} = ${topUp.tokenContract}
   where (${environment}::text is null or ${chain.environment} = ${environment})
     and (${network}::text is null or ${chain.network} = ${network}) and (${after}::text is null or ${topUp.id} < ${after})
   order by ${topUp.id} desc limit ${limit}`;

import { ChainToken } from '../../offers/chain-token.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { sql } from '../../platform/sql/sql.js';
import { out, set, table } from '../../platform/sql/table.js';
import { BalanceSnapshot } from './balance-snapshot.entity.js';

const stock = table(BalanceSnapshot, 'stock');
const chain = table(Chain);
const token = table(ChainToken);

/** Locks the snapshot of a token in the hot wallet of an active chain, in the order that comparisons use. */
export const lockSnapshot = (environment: string, network: string, symbol: string) => sql`
  select ${out(stock, 'chainRef', 'tokenContract', 'missing', 'bookedHeight', 'height')}, ${out(token, 'decimals')}
    from ${stock} join ${chain} on ${chain.id} = ${stock.chainRef} and ${chain.active}
    join ${token} on ${token.chainRef} = ${stock.chainRef} and ${token.contract} = ${stock.tokenContract}
   where ${chain.environment} = ${environment} and ${chain.network} = ${network} and ${token.symbol} = ${symbol}
   order by ${token.enabled} desc limit 1 for no key update of stock`;

/** Takes the missing amount of a token out of the booked one. */
export const takeOffMissing = (chainRef: string, contract: string) => sql`
  update ${stock} set ${set(stock, { booked: sql`${stock.booked} - ${stock.missing}`, missing: sql`0` })}
   where ${stock.chainRef} = ${chainRef} and ${stock.tokenContract} = ${contract}`;

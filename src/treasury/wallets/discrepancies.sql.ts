import { ChainToken } from '../../offers/chain-token.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { sql } from '../../platform/sql/sql.js';
import { out, set, table, values } from '../../platform/sql/table.js';
import { BalanceSnapshot } from './balance-snapshot.entity.js';
import { Discrepancy } from './discrepancy.entity.js';

const stock = table(BalanceSnapshot, 'stock');
const chain = table(Chain);
const token = table(ChainToken);
const discrepancy = table(Discrepancy);

/** Locks the snapshot of a token in the hot wallet of an active chain, in the order that comparisons use. */
export const lockSnapshot = (environment: string, network: string, symbol: string) => sql`
  select ${out(stock, 'chainRef', 'tokenContract', 'missing', 'bookedHeight', 'height')}, ${out(token, 'decimals')}
    from ${stock} join ${chain} on ${chain.id} = ${stock.chainRef} and ${chain.active}
    join ${token} on ${token.chainRef} = ${stock.chainRef} and ${token.contract} = ${stock.tokenContract}
   where ${chain.environment} = ${environment} and ${chain.network} = ${network} and ${token.symbol} = ${symbol}
   order by ${token.enabled} desc limit 1 for no key update of stock`;

/** Inserts an amount that was written off. */
export const insertDiscrepancy = (
  row: Readonly<Record<'id' | 'chainRef' | 'tokenContract' | 'amount' | 'height', string>>,
) => sql`insert into ${discrepancy} ${values(discrepancy, row)}`;

/** Takes the missing amount of a token out of the booked one. */
export const takeOffMissing = (chainRef: string, contract: string) => sql`
  update ${stock} set ${set(stock, { booked: sql`${stock.booked} - ${stock.missing}`, missing: sql`0` })}
   where ${stock.chainRef} = ${chainRef} and ${stock.tokenContract} = ${contract}`;

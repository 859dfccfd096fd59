import { type Environment, NATIVE_COIN } from '../../domain/network.js';
import { ChainToken } from '../../offers/chain-token.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { BalanceSnapshot } from './balance-snapshot.entity.js';
import { Discrepancy } from './discrepancy.entity.js';

const stock = table(BalanceSnapshot, 'stock');
const chain = table(Chain);
const token = table(ChainToken);
const writtenOff = table(Discrepancy);

/** Reads the last comparison of each token in the hot wallets of an environment with the books. */
export const comparisonsOf = (environment: Environment) => sql`
  select ${out(stock, 'chainRef', 'tokenContract', 'amount', 'height', 'booked', 'bookedHeight', 'missing', 'takenAt', 'comparedAt')},
         ${out(chain, 'network')}, ${out(token, 'symbol', 'decimals')}
    from ${stock} join ${chain} on ${chain.id} = ${stock.chainRef} and ${chain.active}
    join ${token} on ${token.chainRef} = ${stock.chainRef} and ${token.contract} = ${stock.tokenContract}
   where ${chain.environment} = ${environment} and (${token.enabled} or ${token.contract} = ${NATIVE_COIN})
   order by ${chain.createdAt}, ${chain.id}, ${token.symbol}`;

/** Reads what was written off in an environment, the newest first. */
export const writtenOffIn = (environment: Environment, limit: number) => sql`
  select ${out(writtenOff, 'id', 'amount', 'height', 'bookedAt')}, ${out(chain, 'network')}, ${out(token, 'symbol', 'decimals')}
    from ${writtenOff} join ${chain} on ${chain.id} = ${writtenOff.chainRef}
    join ${token} on ${token.chainRef} = ${writtenOff.chainRef} and ${token.contract} = ${writtenOff.tokenContract}
   where ${chain.environment} = ${environment} order by ${writtenOff.bookedAt} desc, ${writtenOff.id} desc limit ${limit}`;

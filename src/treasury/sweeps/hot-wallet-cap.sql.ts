import { Chain } from '../../offers/chain.entity.js';
import { ChainToken } from '../../offers/chain-token.entity.js';
import { as } from '../../platform/sql/as.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { HotBalance } from '../wallets/hot-balance.entity.js';
import { SweepItem } from './sweep-item.entity.js';

const chain = table(Chain);
const coin = table(ChainToken, 'coin');
const token = table(ChainToken, 'token');
const balance = table(HotBalance);
const item = table(SweepItem);

/** Items of open sweeps, and those that arrived since the balance was read. */
const itemsUnderWay = sql`
  select ${item.expected.as('units')} from ${item}
   where ${item.chainRef} = ${chain.id} and ${item.tokenContract} = ${token.contract} and ${item.swept} is null
  union all
  select ${item.swept} from ${item}
   where ${item.chainRef} = ${chain.id} and ${item.tokenContract} = ${token.contract}
     and ${item.sweptHeight} > coalesce(${balance.height}, -1)`;
const underWay = subselect('under_way', itemsUnderWay);

const movingUnits = sql`
  select coalesce(sum(${underWay.units}), 0) ${as.digits('units')} from ${define(underWay)}`;
const moving = subselect('moving', movingUnits);

/** Reads what a hot wallet holds of each token and of the coin, with the amounts of open sweeps. */
export const findHoldings = (chainRef: string) => sql`
  select ${out(chain, 'environment')}, ${out(token, 'symbol', 'decimals')}, ${coin.symbol.as('coinSymbol')},
         ${coin.decimals.as('coinDecimals')},
         coalesce(${balance.amount}, 0) + ${moving.units} ${as.digits('units')}
    from ${chain}
    join ${coin} on ${coin.chainRef} = ${chain.id} and ${coin.contract} = 'native'
    join ${token} on ${token.chainRef} = ${chain.id}
    left join ${balance} on ${balance.chainRef} = ${chain.id} and ${balance.tokenContract} = ${token.contract}
   cross join lateral ${define(moving)}
   where ${chain.id} = ${chainRef}
     and (${token.contract} = 'native' or coalesce(${balance.amount}, 0) + ${moving.units} > 0)`;

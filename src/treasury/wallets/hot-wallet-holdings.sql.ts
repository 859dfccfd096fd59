import { NATIVE_COIN } from '../../domain/network.js';
import { ChainToken } from '../../offers/chain-token.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { as } from '../../platform/sql/as.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { GasPriceSample } from '../fees/gas-price-sample.entity.js';
import { SweepItem } from '../sweeps/sweep-item.entity.js';
import { HotBalance } from './hot-balance.entity.js';
import { spendableOf } from './hot-balances.sql.js';
import { HotWallet } from './hot-wallet.entity.js';

const wallet = table(HotWallet, 'wallet');
const chain = table(Chain);
const token = table(ChainToken);
const balance = table(HotBalance);
const item = table(SweepItem);
const sample = table(GasPriceSample);

const newestPrices = sql`
  select ${out(sample, 'baseFee', 'tipStandard', 'tipFast', 'details')} from ${sample}
   where ${sample.chainRef} = ${wallet.chainRef} order by ${sample.takenAt} desc limit 1`;
const prices = subselect('prices', newestPrices);

const comingUnits = sql`
  select coalesce(sum(${item.expected}), 0) from ${item}
   where ${item.chainRef} = ${wallet.chainRef} and ${item.tokenContract} = ${token.contract} and ${item.swept} is null`;

const spendable = subselect('spendable', spendableOf(wallet.chainRef, token.contract));

/**
 * Reads each token that is offered, and the coin, in the hot wallets of the active chains, with what of it is not promised, what
 * open sweeps bring and the newest gas prices: by environment and chain, the coin last.
 */
export const hotWalletHoldings = sql`
  select ${out(wallet, 'chainRef', 'address', 'frozenReason')}, ${out(chain, 'environment', 'network')}, ${out(token, 'symbol', 'contract', 'decimals')}, ${balance.amount.asOrNull('amount')},
         ${spendable.units.asOrNull('spendable')},
         (${comingUnits}) ${as.digits('coming')}, ${prices.baseFee.asOrNull('baseFee')},
         ${prices.tipStandard.asOrNull('tipStandard')}, ${prices.tipFast.asOrNull('tipFast')}, ${prices.details.asOrNull('details')}
    from ${wallet}
    join ${chain} on ${chain.id} = ${wallet.chainRef} and ${chain.active}
    join ${token}
      on ${token.chainRef} = ${wallet.chainRef} and (${token.enabled} or ${token.contract} = ${NATIVE_COIN})
    left join ${balance} on ${balance.chainRef} = ${wallet.chainRef} and ${balance.tokenContract} = ${token.contract}
    left join lateral ${define(spendable)} on true
    left join lateral ${define(prices)} on true
   order by ${chain.environment}, ${chain.createdAt}, ${chain.id}, ${token.contract} = ${NATIVE_COIN}, ${token.symbol}`;

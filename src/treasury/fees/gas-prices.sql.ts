import { Chain } from '../../offers/chain.entity.js';
import { as } from '../../platform/sql/as.js';
import { all, define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { SweepContract } from '../sweeps/sweep-contract.entity.js';
import { HotWallet } from '../wallets/hot-wallet.entity.js';
import { GasPriceSample } from './gas-price-sample.entity.js';

const sample = table(GasPriceSample);
const chain = table(Chain);
const wallet = table(HotWallet);
const contract = table(SweepContract);

const newestOf = (chainRef: string) => sql`
  select ${out(sample, 'id', 'takenAt')}, ${sample.baseFee.asNotNull('baseFee')},
         ${sample.tipStandard.asNotNull('tipStandard')}, ${sample.tipFast.asNotNull('tipFast')} from ${sample}
   where ${sample.chainRef} = ${chainRef} and ${sample.details} is null order by ${sample.takenAt} desc limit 1`;
const newest = subselect('newest', newestOf);

/** Finds the newest sample of a chain, unless it is older than some seconds. */
export const findFreshSample = (chainRef: string, seconds: number) => sql`
  select ${all(newest)} from ${define(newest, chainRef)}
   where ${newest.takenAt} > clock_timestamp() - make_interval(secs => ${seconds}::int)`;

/** Finds the active chains without a sample of the last seconds, and the time. */
export const findChainsToSample = (seconds: number) => sql`
  select ${out(chain, 'id')}, clock_timestamp() ${as.time('now')} from ${chain}
   where ${chain.active} and ${chain.family} = 'evm' and not exists (
     select from ${sample}
      where ${sample.chainRef} = ${chain.id} and ${sample.takenAt} > now() - make_interval(secs => ${seconds}::int))`;

const outdatedOfChain = (age: string, limit: number) => sql`
  select ${out(sample, 'id')} from ${sample}
   where ${sample.chainRef} = ${chain.id} and ${sample.takenAt} < now() - ${age}::interval limit ${limit}`;
const outdated = subselect('outdated', outdatedOfChain);

/** Deletes a batch of samples above an age: chain by chain, so that the index finds the old ones. */
export const deleteOutdated = (age: string, limit: number) => sql`
  delete from ${sample} where ${sample.id} in (
    select ${outdated.id} from ${chain} cross join lateral ${define(outdated, age, limit)} limit ${limit})
  returning ${out(sample, 'id')}`;

/** Finds the hot wallet of a chain, with the sweep contracts that are ready there. */
export const findWalletWithReady = (chainRef: string) => sql`
  select ${out(wallet, 'addressKey')},
         array(select ${contract.address} from ${contract}
                where ${contract.chainRef} = ${chainRef} and ${contract.readyAt} is not null
                  and ${contract.abandonedAt} is null) ${as.texts('ready')}
    from ${wallet} where ${wallet.chainRef} = ${chainRef}`;

import type { Environment } from '../../domain/network.js';
import { Chain } from '../../offers/chain.entity.js';
import { ChainToken } from '../../offers/chain-token.entity.js';
import { PoolAddress } from '../../payments/addresses/pool-address.entity.js';
import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { as } from '../../platform/sql/as.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, set, table } from '../../platform/sql/table.js';
import { ChainTransaction } from '../transactions/chain-transaction.entity.js';
import { HotWallet } from '../wallets/hot-wallet.entity.js';
import { DepositBalance } from './deposit-balance.entity.js';
import { blockedBalances } from './expiring/credited-balances.sql.js';
import { heldOf } from './held-balance.sql.js';
import { SweepContract } from './sweep-contract.entity.js';
import { SweepItem } from './sweep-item.entity.js';
import { Sweep } from './sweep.entity.js';

const sweep = table(Sweep);
const item = table(SweepItem);
const contract = table(SweepContract);
const balance = table(DepositBalance);
const chain = table(Chain);
const token = table(ChainToken);
const wallet = table(HotWallet);
const address = table(PoolAddress);
const deposit = table(Deposit);
const transaction = table(ChainTransaction);

const isIn = (environment: Environment | null) => sql`
  (${environment}::text is null or ${chain.environment} = ${environment})`;

/** Reads open sweeps of an environment, or of all (null), the oldest first. */
export const findOpenSweeps = (limit: number, environment: Environment | null) => sql`
  select ${out(sweep, 'id', 'reason', 'waitingReason')}, ${out(chain, 'environment', 'network')},
         (select count(*)::int from ${item} where ${item.sweepId} = ${sweep.id}) ${as.int('items')},
         extract(epoch from clock_timestamp() - ${sweep.createdAt})::int ${as.int('age')},
         ${sweep.signedAt} is not null ${as.boolean('isSigned')}, ${transaction.broadcastAt} is not null ${as.boolean('isSent')}
    from ${sweep} join ${chain} on ${chain.id} = ${sweep.chainRef}
    left join ${transaction} on ${transaction.purpose} = 'sweep' and ${transaction.purposeId} = ${sweep.id}
   where ${sweep.finishedAt} is null and ${isIn(environment)} order by ${sweep.createdAt}, ${sweep.id} limit ${limit}`;

const aside = subselect(
  'aside',
  sql`select ${out(balance, 'chainRef', 'tokenContract', 'addressId')}, ${heldOf(balance)} ${as.digits('units')},
             ${balance.setAsideReason.asNotNull('reason')}
        from ${balance} where ${balance.setAsideReason} is not null
       union all
      ${blockedBalances}`,
);

/**
 * Reads balances that were set aside in an environment, or in all (null), the largest of each token first, among them what lies in
 * credited accounts that cannot be swept.
 */
export const findSetAside = (limit: number, environment: Environment | null) => sql`
  select ${out(chain, 'environment', 'network')}, ${token.symbol.as('token')}, ${out(token, 'decimals')},
         ${aside.units.as('units')}, ${out(address, 'address')}, ${aside.reason.as('reason')}
    from ${chain}
    join ${define(aside)} on ${aside.chainRef} = ${chain.id}
    join ${token} on ${token.chainRef} = ${chain.id} and ${token.contract} = ${aside.tokenContract}
    join ${address} on ${address.id} = ${aside.addressId}
   where ${chain.active} and ${isIn(environment)}
   order by ${chain.id}, ${token.symbol}, ${aside.units} desc limit ${limit}`;

const finalDeposits = sql`
  select ${out(deposit, 'chainRef', 'tokenContract', 'addressId')}, sum(${deposit.amount}) ${as.digits('units')}
    from ${deposit} where ${deposit.status} = 'confirmed'
   group by ${deposit.chainRef}, ${deposit.tokenContract}, ${deposit.addressId}`;
const brought = subselect('brought', finalDeposits);

/** Counts the balances that differ from their final deposits. */
export const countMiscounted = sql`
  select count(*)::int ${as.int('count')}
    from ${balance} full join ${define(brought)}
      on ${brought.chainRef} = ${balance.chainRef} and ${brought.tokenContract} = ${balance.tokenContract}
     and ${brought.addressId} = ${balance.addressId}
   where ${balance.received} is distinct from coalesce(${brought.units}, 0)`;

/** Makes balances that were set aside due again: all of them, or those of one address. */
export const retrySetAside = (addressKey: string | null) => sql`
  update ${balance} set ${set(balance, { failures: 0, retryAt: null, setAsideReason: null })} from ${address}
   where ${address.id} = ${balance.addressId} and ${balance.setAsideReason} is not null
     and (${addressKey}::text is null or ${address.addressKey} = ${addressKey})
  returning ${out(balance, 'addressId')}`;

/** Abandons the contracts whose deployment failed. */
export const abandonFailedContracts = sql`
  update ${contract} set ${set(contract, { abandonedAt: sql`now()` })}
   where ${contract.trouble} = 'deployment_failed' and ${contract.abandonedAt} is null`;

const troubleOfChain = sql`
  select ${out(contract, 'trouble')} from ${contract}
   where ${contract.chainRef} = ${wallet.chainRef} and ${contract.readyAt} is null and ${contract.abandonedAt} is null
   order by ${contract.trouble} limit 1`;
const contractInTrouble = subselect('contract_in_trouble', troubleOfChain);

/**
 * Reads of each active chain with a hot wallet how many sweeps are open, how many balances are set aside or cannot be swept, and why sweeping is not possible; null when it is, or was never needed.
 */
export const findSweepStates = sql`
  select ${out(wallet, 'chainRef')},
         (select count(*)::int from ${sweep}
           where ${sweep.chainRef} = ${wallet.chainRef} and ${sweep.finishedAt} is null) ${as.int('open')},
         (select count(*)::int from ${define(aside)} where ${aside.chainRef} = ${wallet.chainRef}) ${as.int('setAside')},
         ${contractInTrouble.trouble.asOrNull('trouble')}
    from ${wallet} join ${chain} on ${chain.id} = ${wallet.chainRef} and ${chain.active}
    left join lateral ${define(contractInTrouble)} on true
   order by ${wallet.chainRef}`;

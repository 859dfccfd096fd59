import { Chain } from '../../offers/chain.entity.js';
import { PoolAddress } from '../../payments/addresses/pool-address.entity.js';
import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { HotWallet } from '../wallets/hot-wallet.entity.js';
import { DepositBalance } from './deposit-balance.entity.js';
import { SweptAccount } from './expiring/swept-account.entity.js';
import { isFrozen } from './frozen-balances.sql.js';
import { SweepContract } from './sweep-contract.entity.js';
import { Sweep } from './sweep.entity.js';
import { SweepItem } from './sweep-item.entity.js';

const sweep = table(Sweep);
const item = table(SweepItem);
const contract = table(SweepContract);
const wallet = table(HotWallet);
const chain = table(Chain);
const address = table(PoolAddress);
const balance = table(DepositBalance);
const emptied = table(SweptAccount);

/** Locks an open sweep, with the hot wallet of its chain. */
export const lockOpenSweep = (sweepId: string) => sql`
  select ${out(sweep, 'chainRef', 'delegate', 'batch')}, ${out(chain, 'family')}, ${wallet.addressKey.as('treasury')}
    from ${sweep} join ${wallet} on ${wallet.chainRef} = ${sweep.chainRef} join ${chain} on ${chain.id} = ${sweep.chainRef}
   where ${sweep.id} = ${sweepId} and ${sweep.finishedAt} is null for no key update of ${sweep}`;

/**
 * Reads the items of a sweep in their order, at addresses of the chain's own environment alone, each with the index of its
 * address in the key tree.
 */
export const itemsOfSweep = (sweepId: string) => sql`
  select ${out(item, 'position', 'addressId', 'tokenContract', 'expected', 'authorizationNonce', 'costMax')},
         ${emptied.account.asOrNull('account')},
         coalesce(${emptied.opensAccount}, ${item.opensAccount}) ${as.booleanOrNull('opensAccount')},
         coalesce(${emptied.closesAccount}, ${item.closesAccount}) ${as.booleanOrNull('closesAccount')},
         ${address.addressKey.as('deposit')}, ${address.derivationIndex.as('index')}
    from ${item}
    left join ${emptied} on ${emptied.sweepId} = ${item.sweepId} and ${emptied.position} = ${item.position}
    join ${chain} on ${chain.id} = ${item.chainRef}
    join ${address} on ${address.id} = ${item.addressId} and ${address.environment} = ${chain.environment}
                   and ${address.family} = ${chain.family}
   where ${item.sweepId} = ${sweepId} order by ${item.position}`;

/** Finds the first address of a sweep with frozen funds. */
export const findFrozenAddress = (sweepId: string) => sql`
  select ${out(address, 'address')}
    from ${item}
    join ${balance} on ${balance.chainRef} = ${item.chainRef} and ${balance.tokenContract} = ${item.tokenContract}
                   and ${balance.addressId} = ${item.addressId}
    join ${address} on ${address.id} = ${item.addressId}
   where ${item.sweepId} = ${sweepId} and ${isFrozen(balance)} order by ${item.position} limit 1`;

/** Locks a sweep contract, with the hot wallet of its chain. */
export const lockContract = (contractId: string) => sql`
  select ${out(contract, 'chainRef', 'address')}, ${wallet.addressKey.as('treasury')}
    from ${contract} join ${wallet} on ${wallet.chainRef} = ${contract.chainRef}
   where ${contract.id} = ${contractId} for no key update of ${contract}`;

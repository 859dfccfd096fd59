import { as } from '../../../platform/sql/as.js';
import { given, unnest } from '../../../platform/sql/given.js';
import { define, subselect } from '../../../platform/sql/relation.js';
import { sql } from '../../../platform/sql/sql.js';
import { columns, out, table } from '../../../platform/sql/table.js';
import { PoolAddress } from '../../addresses/pool-address.entity.js';
import type { Pool } from '../../addresses/pool-addresses.sql.js';
import { Deposit } from '../../deposits/deposit.entity.js';
import { WatchedAccount } from './watched-account.entity.js';

const watched = table(WatchedAccount);
const address = table(PoolAddress);
const deposit = table(Deposit);
const listed = given('listed', { token: 'text' });
const fresh = given('fresh', { account: 'text', addressId: 'bigint', token: 'text' });
const read = given('read', { account: 'text', units: 'numeric', asOf: 'bigint' });

/** The balance of an account after a block. */
export interface ReadBalance {
  readonly account: string;
  /** Smallest units. */
  readonly units: bigint;
  readonly asOf: number;
}

const derivedUpTo = (chainRef: string, tokens: readonly string[]) => sql`
  select coalesce((select max(${watched.addressId}) from ${watched}
                    where ${watched.chainRef} = ${chainRef} and ${watched.tokenContract} = ${listed.token}), 0) ${as.digits('id')}
    from ${unnest(
      listed,
      tokens.map((token) => ({ token })),
    )}`;
const derived = subselect('derived', derivedUpTo);

/** Finds the next addresses of a pool whose accounts are not derived for every token, by id. */
export const addressesWithoutAccounts = (
  chainRef: string,
  { environment, family }: Pool,
  tokens: readonly string[],
  limit: number,
) => sql`
  select ${out(address, 'id', 'addressKey')} from ${address}
   where ${address.environment} = ${environment} and ${address.family} = ${family}
     and ${address.id} > (select min(${derived.id}) from ${define(derived, chainRef, tokens)})
   order by ${address.id} limit ${limit}`;

/** Stores derived accounts, except those that are stored. */
export const insertAccounts = (
  chainRef: string,
  accounts: readonly { readonly account: string; readonly addressId: string; readonly token: string }[],
) => sql`
  insert into ${watched} ${columns(watched, 'chainRef', 'account', 'addressId', 'tokenContract')}
  select ${chainRef}, ${fresh.account}, ${fresh.addressId}, ${fresh.token} from ${unnest(fresh, accounts)}
  on conflict do nothing`;

/** Finds the accounts of addresses (keys). */
export const accountsOfAddresses = (chainRef: string, keys: readonly string[]) => sql`
  select ${watched.account.as('account')}, ${watched.tokenContract.as('token')}
    from ${address} join ${watched} on ${watched.chainRef} = ${chainRef} and ${watched.addressId} = ${address.id}
   where ${address.addressKey} = any(${keys})`;

/** Finds which of these accounts are ours, with the address that owns each. */
export const ownersOf = (chainRef: string, accounts: readonly string[]) => sql`
  select ${watched.account.as('account')}, ${watched.tokenContract.as('token')}, ${out(address, 'addressKey')}
    from ${watched} join ${address} on ${address.id} = ${watched.addressId}
   where ${watched.chainRef} = ${chainRef} and ${watched.account} = any(${accounts})`;

const receivedBy = (chainRef: string) => sql`
  select coalesce(sum(${deposit.amount}), 0) ${as.digits('units')} from ${deposit}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.addressId} = ${watched.addressId}
     and ${deposit.account} = ${watched.account} and ${deposit.tokenContract} = ${watched.tokenContract}
     and ${deposit.status} <> 'orphaned' and ${deposit.blockHeight} <= ${read.asOf}`;
const received = subselect('received', receivedBy);

/** Finds the accounts that hold more than the recorded deposits as of the block of the balance, and how much more. */
export const findExcess = (chainRef: string, balances: readonly ReadBalance[]) => sql`
  select ${watched.account.as('account')}, ${read.units} - ${received.units} ${as.digits('units')}, ${read.asOf.as('asOf')}
    from ${unnest(read, balances)}
    join ${watched} on ${watched.chainRef} = ${chainRef} and ${watched.account} = ${read.account}
   cross join lateral ${define(received, chainRef)}
   where ${read.units} > ${received.units}`;

/** Finds which of these transactions are recorded as deposits on an account and not orphaned. */
export const recordedOn = (chainRef: string, account: string, txHashes: readonly string[]) => sql`
  select ${deposit.txHash.asNotNull('txHash')} from ${deposit}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.txHash} = any(${txHashes}::text[])
     and ${deposit.account} = ${account} and ${deposit.status} <> 'orphaned'`;

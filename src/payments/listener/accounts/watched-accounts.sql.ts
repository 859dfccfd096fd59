import { OPEN_STATUSES } from '../../../domain/intent-state.js';
import { textList } from '../../../platform/database/text-list.js';
import { as } from '../../../platform/sql/as.js';
import { bigintMax } from '../../../platform/sql/bigint-max.js';
import { given, unnest } from '../../../platform/sql/given.js';
import { define, relation, subselect } from '../../../platform/sql/relation.js';
import type { Row } from '../../../platform/sql/row.js';
import { raw, type RowOf, sql, type SqlText } from '../../../platform/sql/sql.js';
import { columns, out, table } from '../../../platform/sql/table.js';
import { PoolAddress } from '../../addresses/pool-address.entity.js';
import type { Pool } from '../../addresses/pool-addresses.sql.js';
import { Deposit } from '../../deposits/deposit.entity.js';
import { Sweep } from '../../../treasury/sweeps/sweep.entity.js';
import { SweepItem } from '../../../treasury/sweeps/sweep-item.entity.js';
import { SweptAccount } from '../../../treasury/sweeps/expiring/swept-account.entity.js';
import { PaymentIntent } from '../../intents/payment-intent.entity.js';
import type { CreditedObstacle } from '../../../domain/account-obstacle.js';
import { CreditedAccount } from './credited-account.entity.js';
import { WatchedAccount } from './watched-account.entity.js';

const watched = table(WatchedAccount);
const address = table(PoolAddress);
const deposit = table(Deposit);
const intent = table(PaymentIntent);
const sweep = table(Sweep);
const item = table(SweepItem);
const credited = table(CreditedAccount);
const emptied = table(SweptAccount);
const listed = given('listed', { token: 'text' });
const fresh = given('fresh', { account: 'text', addressId: 'bigint', token: 'text' });
const paid = given('paid', { account: 'text', txHash: 'text' });
const read = given('read', {
  account: 'text',
  addressId: 'bigint',
  token: 'text',
  owner: 'text',
  units: 'numeric',
  asOf: 'bigint',
});
const owner = relation<Row<PoolAddress, 'id'>>('owner');

/** The balance of an account after a block. */
export interface ReadBalance extends WatchedFunds {
  /** Smallest units. */
  readonly units: bigint;
  /** Why nothing of it counts, by the account itself. */
  readonly blockedBy: CreditedObstacle | null;
  readonly asOf: number;
}

/** A balance with the key of the address that owns a credited account; null for an associated one. */
interface ComparedBalance extends Omit<ReadBalance, 'owner'> {
  readonly owner: string | null;
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

const sweepsOf = (chainRef: string) => sql`
  select exists (
    select from ${item}
     where ${item.chainRef} = ${chainRef} and ${item.addressId} = ${owner.id} and ${item.opensAccount} is not null
  ) ${as.boolean('wereTaken')}`;
const sweeps = subselect('sweeps', sweepsOf);

const accountsOwnedBy = (chainRef: string, owners: SqlText) => sql`
  select ${watched.account.as('account')}, ${watched.tokenContract.as('token')}, ${out(watched, 'addressId')},
         ${sweeps.wereTaken.as('hasSweeps')}
    from (${owners}) ${owner}
   cross join lateral ${define(sweeps, chainRef)}
    join ${watched} on ${watched.chainRef} = ${chainRef} and ${watched.addressId} = ${owner.id}`;

/** An account, the address that owns it, and whether a sweep of that address was ordered. */
export interface WatchedFunds extends RowOf<typeof accountsOwnedBy> {
  /** Key of that address, for a credited account. */
  readonly owner?: string;
  /** As it is stored of a credited account. */
  readonly obstacle?: CreditedObstacle | null;
}

/** Finds the accounts of addresses by their keys, without the credited ones. */
export const accountsOfKeys = (chainRef: string, keys: readonly string[]) =>
  accountsOwnedBy(
    chainRef,
    sql`select ${out(address, 'id')} from ${address} where ${address.addressKey} = any(${keys})`,
  );

const nextOwners = ({ environment, family }: Pool, below: string | null, limit: number) => sql`
  select ${out(address, 'id')} from ${address}
   where ${address.environment} = ${environment} and ${address.family} = ${family}
     and ${address.id} < coalesce(${below}::bigint, ${bigintMax})
   order by ${address.id} desc limit ${limit}`;
const nextOwner = relation<RowOf<typeof nextOwners>>('next_owner');

const stepOf = () => sql`
  select count(*)::int ${as.int('addresses')}, min(${nextOwner.id}) ${as.digitsOrNull('last')},
         max(${nextOwner.id}) ${as.digitsOrNull('first')}
    from ${nextOwner}`;
const step = relation<RowOf<typeof stepOf>>('step');

const isInStep = (id: SqlText) =>
  sql`${id} between (select ${step.last} from ${step}) and (select ${step.first} from ${step})`;

const sweptInStep = (chainRef: string) => sql`
  select string_agg(distinct ${item.addressId}::text, ',') from ${item}
   where ${item.chainRef} = ${chainRef} and ${item.opensAccount} is not null and ${isInStep(item.addressId)}`;

const ofToken = (chainRef: string) => sql`
  select ${watched.tokenContract.as('token')}, string_agg(${watched.account}, ',') ${as.text('accounts')},
         string_agg(${watched.addressId}::text, ',') ${as.text('addressIds')}
    from ${watched} where ${watched.chainRef} = ${chainRef} and ${isInStep(watched.addressId)}
   group by ${watched.tokenContract}`;
const held = subselect('held', ofToken);

/**
 * Reads the next addresses of the round over a pool, the newest first: how many there are, the last of them, those with sweeps,
 * and their accounts, in a row for each token. All accounts of a chain are of one pool, so they are read as a range of its index:
 * for a join with thousands of addresses the planner would read the whole table. A step has thousands of accounts, of which the
 * driver would parse each value by itself, so each column is one text; none has a comma in it.
 */
export const accountsOfRound = (
  chainRef: string,
  pool: Pool,
  { below, limit }: { readonly below: string | null; readonly limit: number },
) => sql`
  with ${nextOwner} as materialized (${nextOwners(pool, below, limit)}),
       ${step} as materialized (${stepOf()})
  select ${step.addresses.as('addresses')}, ${step.last.as('last')}, (${sweptInStep(chainRef)}) ${as.textOrNull('swept')},
         ${held.token.asOrNull('token')}, ${held.accounts.asOrNull('accounts')}, ${held.addressIds.asOrNull('addressIds')}
    from ${step} left join ${define(held, chainRef)} on true`;

/** Finds which of these accounts are ours, with the address that owns each. A credited account may have several, one at a time. */
export const ownersOf = (chainRef: string, accounts: readonly string[]) => sql`
  select ${watched.account.as('account')}, ${watched.tokenContract.as('token')}, false ${as.boolean('isCredited')},
         ${out(address, 'addressKey')}
    from ${watched} join ${address} on ${address.id} = ${watched.addressId}
   where ${watched.chainRef} = ${chainRef} and ${watched.account} = any(${accounts})
  union all
  select ${credited.account}, ${credited.tokenContract}, true, ${address.addressKey}
    from ${credited} join ${address} on ${address.id} = ${credited.addressId}
   where ${credited.chainRef} = ${chainRef} and ${credited.account} = any(${accounts})`;

/**
 * All but the address is a condition of the sum: while the table is small, the planner would choose the index by block, and
 * keep that plan when it reads every deposit of the chain for each account.
 */
const receivedBy = (chainRef: string) => sql`
  select coalesce(sum(${deposit.amount}) filter (
           where ${deposit.chainRef} = ${chainRef} and ${deposit.account} = ${read.account}
             and ${deposit.tokenContract} = ${read.token}
             and ${deposit.status} <> 'orphaned' and ${deposit.blockHeight} <= ${read.asOf}), 0) ${as.digits('units')}
    from ${deposit} where ${deposit.addressId} = ${read.addressId}`;
const received = subselect('received', receivedBy);

const isPayable = sql`
  exists (select from ${address} join ${intent} on ${intent.id} = ${address.intentId}
           where ${address.id} = ${read.addressId} and ${intent.status} in ${raw(textList(OPEN_STATUSES))})`;

const isTaken = sql`
  case when ${item.swept} is null then ${sweep.signedAt} is not null and ${isPayable}
       else ${item.sweptHeight} <= ${read.asOf} end`;
const takenUnits = sql`coalesce(sum(case when ${item.swept} is null then ${item.expected} else ${item.swept} end), 0)`;

/** An item that empties a credited account does not say that it opens one. */
const takenFromAssociated = (chainRef: string) => sql`
  select ${takenUnits} from ${item} join ${sweep} on ${sweep.id} = ${item.sweepId}
   where ${item.chainRef} = ${chainRef} and ${item.tokenContract} = ${read.token}
     and ${item.addressId} = ${read.addressId} and ${item.opensAccount} is not null and ${isTaken}`;

const takenFromCredited = (chainRef: string) => sql`
  select ${takenUnits} from ${emptied}
    join ${item} on ${item.sweepId} = ${emptied.sweepId} and ${item.position} = ${emptied.position}
    join ${sweep} on ${sweep.id} = ${item.sweepId}
   where ${emptied.addressId} = ${read.addressId} and ${emptied.chainRef} = ${chainRef}
     and ${emptied.account} = ${read.account} and ${emptied.tokenContract} = ${read.token} and ${isTaken}`;

const takenFrom = (chainRef: string) => sql`
  select case when ${read.owner} is null then (${takenFromAssociated(chainRef)})
              else (${takenFromCredited(chainRef)}) end ${as.digits('units')}`;
const taken = subselect('taken', takenFrom);

const knownOn = (chainRef: string) => sql`
  select ${received.units} - ${taken.units} ${as.digits('units')}
    from ${define(received, chainRef)} cross join ${define(taken, chainRef)}`;
const known = subselect('known', knownOn);

/**
 * Finds the accounts that hold more than recorded deposits less sweeps as of the block of the balance, and how much more. A
 * signed sweep that is not final may have taken its funds already. Where an intent is still to be paid, it counts as if it
 * had: a payment of the same amount must not stay hidden behind it until the intent expires.
 */
export const findExcess = (chainRef: string, balances: readonly ComparedBalance[]) => sql`
  select ${read.account.as('account')}, ${read.token.as('token')}, ${read.owner.asOrNull('owner')},
         ${read.units} - ${known.units} ${as.digits('units')}, ${read.asOf.as('asOf')}
    from ${unnest(read, balances)} cross join lateral ${define(known, chainRef)}
   where ${read.units} > ${known.units}`;

/** Finds which of these transactions are recorded as deposits on these accounts and not orphaned. */
export const recordedOn = (
  chainRef: string,
  transactions: readonly { readonly account: string; readonly txHash: string }[],
) => sql`
  select ${paid.account.as('account')}, ${paid.txHash.as('txHash')}
    from ${unnest(paid, transactions)}
    join ${deposit} on ${deposit.chainRef} = ${chainRef} and ${deposit.txHash} = ${paid.txHash}
                   and ${deposit.account} = ${paid.account} and ${deposit.status} <> 'orphaned'`;

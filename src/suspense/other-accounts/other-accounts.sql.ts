import type { NetworkProfile } from '../../chains/networks.js';
import { OPEN_STATUSES } from '../../domain/intent-state.js';
import type { Environment, Network } from '../../domain/network.js';
import { OtherAccount } from '../../payments/listener/accounts/other-account.entity.js';
import { OtherAccountRound } from '../../payments/listener/accounts/other-account-round.entity.js';
import { CreditedAccount } from '../../payments/listener/accounts/credited-account.entity.js';
import { PoolAddress } from '../../payments/addresses/pool-address.entity.js';
import { PaymentIntent } from '../../payments/intents/payment-intent.entity.js';
import { textList } from '../../platform/database/text-list.js';
import { as } from '../../platform/sql/as.js';
import { bigintMax } from '../../platform/sql/bigint-max.js';
import { given, unnest } from '../../platform/sql/given.js';
import type { Row } from '../../platform/sql/row.js';
import { raw, sql } from '../../platform/sql/sql.js';
import { columns, out, set, table, values } from '../../platform/sql/table.js';
import type { FoundAccount, RefusedAccount } from './admitted-accounts.js';

const address = table(PoolAddress);
const intent = table(PaymentIntent);
const round = table(OtherAccountRound);
const other = table(OtherAccount);
const credited = table(CreditedAccount);
const fresh = given('fresh', {
  account: 'text',
  addressId: 'bigint',
  token: 'text',
  units: 'numeric',
  obstacle: 'text',
});
const taken = given('taken', { account: 'text', addressId: 'bigint', token: 'text' });
const added = table(OtherAccount, 'excluded');
const moved = table(OtherAccountRound, 'excluded');

/** When an intent ended, or infinity while it is open: the expression of the index payment_intent_recent. */
const endedAt = sql`
  (case when ${intent.status} in ${raw(textList(OPEN_STATUSES))} then 'infinity'::timestamptz else ${intent.updatedAt} end)`;

/** A round is over, and the next one begins so long after it began. */
const roundEvery = sql`interval '1 hour'`;

/** Reads where the round over a chain's addresses goes on, and whether the next one must not begin yet. */
export const findRound = (chainRef: string) => sql`
  select ${out(round, 'below')}, ${round.below} is null and ${round.beganAt} > now() - ${roundEvery} ${as.boolean('isPaused')}
    from ${round} where ${round.chainRef} = ${chainRef}`;

/** The addresses of a network. */
type Pool = Pick<NetworkProfile, 'environment' | 'addressFamily'>;

/** An address whose accounts are searched. */
export type Owner = Row<PoolAddress, 'id' | 'addressKey'>;

/** Finds the next addresses of the round over all that an intent ever had, the newest first. */
export const nextOfRound = ({ environment, addressFamily }: Pool, below: string | null, limit: number) => sql`
  select ${out(address, 'id', 'addressKey')} from ${address}
   where ${address.environment} = ${environment} and ${address.family} = ${addressFamily}
     and ${address.intentId} is not null and ${address.id} < coalesce(${below}::bigint, ${bigintMax})
   order by ${address.id} desc limit ${limit}`;

/** Finds an address by its key. */
export const ownersByKey = ({ environment, addressFamily }: Pool, addressKey: string) => sql`
  select ${out(address, 'id', 'addressKey')} from ${address}
   where ${address.environment} = ${environment} and ${address.family} = ${addressFamily}
     and ${address.addressKey} = ${addressKey}`;

/** Moves the round on. @param below null = it is over */
export const moveRound = (chainRef: string, below: string | null) => sql`
  insert into ${round} ${values(round, { chainRef, below: below === null ? null : Number(below) })}
  on conflict ${columns(round, 'chainRef')} do update
    set ${set(round, {
      below: moved.below,
      beganAt: sql`case when ${round.below} is null then now() else ${round.beganAt} end`,
    })}`;

/** A place in the order of `endedAfter`. */
export interface EndedPlace {
  /** As PostgreSQL writes it. */
  readonly endedAt: string;
  readonly intentId: string;
}

/** Before the first intent of `endedAfter`. */
export const BEFORE_ALL_ENDED: EndedPlace = { endedAt: '-infinity', intentId: '' };

/** Finds the addresses of intents that ended after a place and within a day, the earliest first. */
export const endedAfter = (environment: Environment, network: Network, place: EndedPlace, limit: number) => sql`
  select ${out(address, 'id', 'addressKey')}, ${intent.id.as('intentId')}, ${endedAt}::text ${as.text('endedAt')}
    from ${intent} join ${address} on ${address.intentId} = ${intent.id}
   where ${intent.environment} = ${environment} and ${intent.network} = ${network} and ${intent.address} is not null
     and (${endedAt}, ${intent.id}) > (${place.endedAt}::timestamptz, ${place.intentId})
     and ${endedAt} > now() - interval '1 day' and ${endedAt} < 'infinity'
   order by ${endedAt}, ${intent.id} limit ${limit}`;

/** Finds the next addresses of open intents, in the order of the intents' ids. */
export const openAfter = (environment: Environment, network: Network, intentId: string, limit: number) => sql`
  select ${out(address, 'id', 'addressKey')}, ${intent.id.as('intentId')}
    from ${intent} join ${address} on ${address.intentId} = ${intent.id}
   where ${intent.environment} = ${environment} and ${intent.network} = ${network} and ${intent.address} is not null
     and ${endedAt} = 'infinity' and ${intent.id} > ${intentId}
   order by ${intent.id} limit ${limit}`;

/** Finds the next addresses above an id with accounts of which no search of this version has decided. */
export const undecidedOwners = (chainRef: string, above: string, limit: number) => sql`
  select distinct ${out(address, 'id', 'addressKey')} from ${other} join ${address} on ${address.id} = ${other.addressId}
   where ${other.chainRef} = ${chainRef} and ${other.obstacle} is null and ${other.addressId} > ${above}
   order by ${address.id} limit ${limit}`;

/** Makes the listener credit accounts. */
export const insertCredited = (chainRef: string, accounts: readonly FoundAccount[]) => sql`
  insert into ${credited} ${columns(credited, 'chainRef', 'account', 'addressId', 'tokenContract')}
  select ${chainRef}, ${taken.account}, ${taken.addressId}, ${taken.token} from ${unnest(taken, accounts)}
   order by ${taken.account}
  on conflict do nothing`;

/**
 * Stores what accounts hold that is not credited. Returns those that are new or changed. An account has one owner at a time: it
 * belongs to the address where it was found last.
 */
export const upsertAccounts = (chainRef: string, accounts: readonly RefusedAccount[]) => sql`
  insert into ${other} ${columns(other, 'chainRef', 'account', 'addressId', 'tokenContract', 'units', 'obstacle')}
  select ${chainRef}, ${fresh.account}, ${fresh.addressId}, ${fresh.token}, ${fresh.units}, ${fresh.obstacle}
    from ${unnest(fresh, accounts)}
   order by ${fresh.account}
  on conflict ${columns(other, 'chainRef', 'account')} do update
    set ${set(other, {
      addressId: added.addressId,
      tokenContract: added.tokenContract,
      units: added.units,
      obstacle: added.obstacle,
    })}
   where (${other.addressId}, ${other.tokenContract}, ${other.units}, ${other.obstacle})
         is distinct from (${added.addressId}, ${added.tokenContract}, ${added.units}, ${added.obstacle})
  returning ${out(other, 'account')}, xmax = 0 ${as.boolean('isNew')}`;

/** Deletes the accounts of addresses that hold nothing any more, or are credited. */
export const deleteEmptied = (chainRef: string, addressIds: readonly string[], holding: readonly string[]) => sql`
  delete from ${other}
   where ${other.chainRef} = ${chainRef} and ${other.addressId} = any(${addressIds}::bigint[])
     and ${other.account} <> all(${holding})`;

import type { AddressFamily, Environment } from '../../domain/network.js';
import { as } from '../../platform/sql/as.js';
import { given, unnest } from '../../platform/sql/given.js';
import { keyOfShown } from '../../platform/sql/shown-address.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { columns, out, set, table, values } from '../../platform/sql/table.js';
import type { DerivedAddress } from '../../vault/vault.js';
import { DisprovedAddress } from './disproved-address.entity.js';
import { PoolAddress } from './pool-address.entity.js';

const address = table(PoolAddress);
const disproved = table(DisprovedAddress);
const derived = given('derived', { index: 'int', path: 'text', address: 'text', addressKey: 'text' });

/** The addresses of a family in an environment. */
export interface Pool {
  readonly environment: Environment;
  readonly family: AddressFamily;
}

/** The pool from which a network takes its addresses. */
export const poolOf = (network: {
  readonly environment: Environment;
  readonly addressFamily: AddressFamily;
}): Pool => ({
  environment: network.environment,
  family: network.addressFamily,
});

/** Returns the name of a pool, to find it in memory. */
export const poolKey = ({ environment, family }: Pool): string => `${environment}/${family}`;

const isOf = ({ environment, family }: Pool) =>
  sql`${address.environment} = ${environment} and ${address.family} = ${family}`;
const isFree = sql`${address.intentId} is null and ${address.retiredAt} is null`;

/**
 * Assigns the oldest free address to an intent if the condition holds, and returns it. Parallel callers skip each other's
 * rows. A row stores its address twice: one that contradicts itself is skipped.
 */
export const assignAddress = (pool: Pool, intentId: string, condition: SqlText = sql`true`) => sql`
  update ${address} set ${set(address, { intentId, assignedAt: sql`now()` })}
   where ${address.id} = (select ${address.id} from ${address}
                           where ${isOf(pool)} and ${isFree}
                             and ${address.addressKey} = ${keyOfShown(address.family, address.address)}
                           order by ${address.createdAt} for update skip locked limit 1)
     and ${condition}
  returning ${out(address, 'address')}`;

/** Counts the free addresses of each pool. */
export const countFree = sql`
  select ${out(address, 'environment', 'family')}, count(*) ${as.digits('free')} from ${address}
   where ${isFree} group by ${address.environment}, ${address.family}`;

/** Counts the free addresses of a pool, and reads the index after the highest one that is not disproved. */
export const findLevel = (pool: Pool) => sql`
  select (select count(*) from ${address} where ${isOf(pool)} and ${isFree}) ${as.digits('free')},
         coalesce((select ${address.derivationIndex}::bigint + 1 from ${address}
                    where ${isOf(pool)}
                      and not exists (select from ${disproved} where ${disproved.addressId} = ${address.id})
                    order by ${address.derivationIndex} desc limit 1), 0) ${as.digits('nextIndex')}`;

/** Waits until no other process adds addresses. */
export const takeAddingTurn = sql`select pg_advisory_xact_lock(hashtextextended(${'pool_address'}, 0))`;

/** Adds derived addresses, except those whose index or address is stored. */
export const insertAddresses = ({ environment, family }: Pool, addresses: readonly DerivedAddress[]) => sql`
  insert into ${address} ${columns(address, 'environment', 'family', 'derivationIndex', 'derivationPath', 'address', 'addressKey')}
  select ${environment}, ${family}, ${derived.index}, ${derived.path}, ${derived.address}, ${derived.addressKey}
    from ${unnest(derived, addresses)}
  on conflict do nothing`;

/** Reads stored addresses, under the names of the vault. */
const stored = (which: SqlText) => sql`
  select ${out(address, 'id', 'address', 'addressKey')}, ${address.derivationIndex.as('index')},
         ${address.derivationPath.as('path')}, ${address.createdAt}::text ${as.text('created')}
    from ${address} where ${which}`;

/** Reads the first addresses of a pool. */
export const findFirst = (pool: Pool, limit: number) =>
  stored(sql`${isOf(pool)} order by ${address.derivationIndex} limit ${limit}`);

/** Reads the addresses of a pool at these indexes. */
export const findAt = (pool: Pool, indexes: readonly number[]) =>
  stored(sql`${isOf(pool)} and ${address.derivationIndex} = any(${indexes})`);

/** Reads the addresses of a pool that are assigned or retired, after an index. */
export const findUsedAfter = (pool: Pool, index: number | string, limit: number) =>
  stored(sql`
    ${isOf(pool)} and not (${isFree}) and ${address.derivationIndex} > ${index}::bigint
    order by ${address.derivationIndex} limit ${limit}`);

/** Reads the free addresses of a pool in the order of their assignment, after one of them. */
export const findFreeAfter = (pool: Pool, last: { readonly created: string; readonly id: string }, limit: number) =>
  stored(sql`
    ${isOf(pool)} and ${isFree} and (${address.createdAt}, ${address.id}) > (${last.created}::timestamptz, ${last.id}::bigint)
    order by ${address.createdAt}, ${address.id} limit ${limit}`);

/** Locks an address. */
export const lockAddress = (id: string) => sql`
  select ${out(address, 'intentId')} from ${address} where ${address.id} = ${id} for update`;

/** Takes an address off the pool, if it is free. */
export const retireAddress = (id: string) => sql`
  update ${address} set ${set(address, { retiredAt: sql`now()` })} where ${address.id} = ${id} and ${isFree}`;

/** Records that the vault derives another address than the stored one, unless it is recorded. */
export const insertDisproved = (
  { id, index, path, ...row }: DerivedAddress & { readonly id: string },
  again: string | null,
) => sql`
  insert into ${disproved} ${values(disproved, {
    addressId: id,
    derivationIndex: index,
    derivationPath: path,
    address: row.address,
    addressKey: row.addressKey,
    derivedAddress: again,
  })}
  on conflict ${columns(disproved, 'addressId')} do nothing returning ${out(disproved, 'addressId')}`;

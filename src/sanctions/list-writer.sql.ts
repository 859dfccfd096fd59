import { as } from '../platform/sql/as.js';
import { given, unnest } from '../platform/sql/given.js';
import { sql } from '../platform/sql/sql.js';
import { columns, set, table } from '../platform/sql/table.js';
import type { ListedAddress } from './published-list.js';
import { SanctionedAddress } from './sanctioned-address.entity.js';

const listed = table(SanctionedAddress, 'listed');
const excluded = table(SanctionedAddress, 'excluded');
const published = given('published', { family: 'text', key: 'text', name: 'text' });

/** Prevents other changes of the list until the transaction ends. */
export const lockLists = sql`select pg_advisory_xact_lock(hashtextextended(${'coffer:sanctions'}, 0))`;

/** Reads the day of the database in UTC. */
export const today = sql`select (now() at time zone 'utc')::date::text ${as.text('today')}`;

/**
 * Lists addresses since an import, unless they are listed, and says which are new. The first list came without names: a
 * later one supplies them.
 */
export const listAddresses = (importId: number, addresses: readonly ListedAddress[]) => sql`
  insert into ${listed} ${columns(listed, 'addedIn', 'family', 'addressKey', 'name')}
  select ${importId}::bigint, ${published.family}, ${published.key}, ${published.name} from ${unnest(published, addresses)}
  on conflict ${columns(listed, 'family', 'addressKey')} where ${columns(listed, 'removedIn')} is null
  do update set ${set(listed, { name: sql`coalesce(${excluded.name}, ${listed.name})` })}
  returning ${listed.addedIn} = ${importId}::bigint ${as.boolean('isNew')}`;

/** Marks the listed addresses that are not among these as removed by an import, and returns them. */
export const delistOthers = (importId: number, addresses: readonly ListedAddress[]) => sql`
  update ${listed} set ${set(listed, { removedIn: importId })}
   where ${listed.removedIn} is null and not exists (
     select from ${unnest(published, addresses)}
      where ${published.family} = ${listed.family} and ${published.key} = ${listed.addressKey})
  returning ${listed.family.as('family')}, ${listed.addressKey.as('key')}`;

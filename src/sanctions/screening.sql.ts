import type { ListedFamily } from '../domain/address-form.js';
import { as } from '../platform/sql/as.js';
import { all, define, subselect } from '../platform/sql/relation.js';
import { sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import { SanctionedAddress } from './sanctioned-address.entity.js';
import { SanctionsImport } from './sanctions-import.entity.js';

const listed = table(SanctionedAddress);
const list = table(SanctionsImport);

const currentList = sql`
  select ${out(list, 'source', 'publishedOn', 'importedAt')} from ${list} order by ${list.id} desc limit 1`;
const current = subselect('current_list', currentList);

/** Looks an address up in the current list. Returns no row without a list; else one, whether the address is on it or not. */
export const findListing = (family: ListedFamily, addressKey: string) => sql`
  select ${current.source.as('source')}, ${current.publishedOn.as('publishedOn')}, ${listed.name.asOrNull('name')},
         ${listed.id} is not null ${as.boolean('isListed')}
    from ${define(current)}
    left join ${listed}
      on ${isCurrent(family)} and ${listed.addressKey} = ${addressKey}`;

/** Whether there is a list. */
export const hasList = sql`exists (select from ${list})`;

/** Whether an address is on the current list, by its spelling there. */
export const isListed = (family: ListedFamily, addressKey: string) => sql`
  exists (select from ${listed} where ${isCurrent(family)} and ${listed.addressKey} = ${addressKey})`;

const isCurrent = (family: ListedFamily) => sql`${listed.family} = ${family} and ${listed.removedIn} is null`;

/** Finds those of these addresses that are on the current list. Returns no row without a list. */
export const findListedAmong = (family: ListedFamily, addressKeys: readonly string[]) => sql`
  select array(select ${listed.addressKey} from ${listed}
                where ${isCurrent(family)} and ${listed.addressKey} = any(${addressKeys})) ${as.texts('listed')}
   where ${hasList}`;

/** Reads when an address was listed, the newest first. */
export function listingPeriods(family: ListedFamily, addressKey: string) {
  const added = table(SanctionsImport, 'added');
  const removed = table(SanctionsImport, 'removed');
  return sql`
    select ${listed.name.as('name')}, ${added.publishedOn.as('since')}, ${removed.publishedOn.asOrNull('until')}
      from ${listed}
      join ${added} on ${added.id} = ${listed.addedIn}
      left join ${removed} on ${removed.id} = ${listed.removedIn}
     where ${listed.family} = ${family} and ${listed.addressKey} = ${addressKey} order by ${listed.id} desc`;
}

const onList = (family: ListedFamily) => sql`
  count(*) filter (where ${listed.removedIn} is null and ${listed.family} = ${family})::int`;
const counted = sql`
  select ${onList('evm')} ${as.int('evm')}, ${onList('tron')} ${as.int('tron')}, ${onList('solana')} ${as.int('solana')},
         ${onList('other')} ${as.int('other')}, count(${listed.removedIn})::int ${as.int('removed')}
    from ${listed}`;
const counts = subselect('counts', counted);

/**
 * Reads the state of the current list, with the days since it was published, and how many listings ended because a later
 * list no longer had the address; no row without one.
 */
export const listStatus = sql`
  select ${all(current)}, (now() at time zone 'utc')::date - ${current.publishedOn} ${as.int('ageDays')}, ${all(counts)}
    from ${define(current)}, ${define(counts)}`;

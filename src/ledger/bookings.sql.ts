import type { Environment } from '../domain/network.js';
import type { Leg } from '../domain/posting.js';
import { given, unnest } from '../platform/sql/given.js';
import { all, type Cte, cte, define, type Relation } from '../platform/sql/relation.js';
import type { Row } from '../platform/sql/row.js';
import { join, sql, type SqlText } from '../platform/sql/sql.js';
import { columns, out, table } from '../platform/sql/table.js';
import { Entry, type EntryKind } from './entry.entity.js';
import { Posting } from './posting.entity.js';

const entry = table(Entry);
const posting = table(Posting);

/** An entry with the hash of its content. */
export interface HashedEntry {
  readonly entryId: string;
  readonly reference: string;
  readonly kind: EntryKind;
  readonly hash: string;
}

/** One leg of an entry. */
export interface EntryLeg extends Leg {
  readonly entryId: string;
  readonly environment: Environment;
}

const booked = given('booked', { entryId: 'text', reference: 'text', kind: 'text', hash: 'text' });
const leg = given('leg', {
  entryId: 'text',
  accountId: 'bigint',
  asset: 'text',
  environment: 'text',
  amount: 'numeric',
});

/**
 * Books the entries whose references are new, with their legs, and returns the ids of these entries. The legs are inserted in
 * their order, in which their accounts are locked.
 */
export function insertBookings(entries: readonly HashedEntry[], legs: readonly EntryLeg[]) {
  const added = cte(
    'added',
    sql`insert into ${entry} ${newColumns} select ${newValues} from ${unnest(booked, entries)}
        on conflict ${columns(entry, 'reference')} do nothing returning ${out(entry, 'id')}`,
  );
  return sql`with ${define(added)}, ${define(posted(legs, added))} select ${all(added)} from ${added}`;
}

/**
 * Books one entry, if the condition holds, as steps of a WITH. An entry whose reference is booked already is an error: the
 * fact behind it must be new.
 */
export function bookEntry(one: HashedEntry, legs: readonly EntryLeg[], condition: SqlText): readonly Cte<unknown>[] {
  const added = cte(
    'added',
    sql`insert into ${entry} ${newColumns} select ${newValues} from ${unnest(booked, [one])} where ${condition}
        returning ${out(entry, 'id')}`,
  );
  return [added, posted(legs, added)];
}

const newColumns = columns(entry, 'id', 'reference', 'kind', 'contentHash');
const newValues = join([booked.entryId, booked.reference, booked.kind, booked.hash], ', ');

/** Inserts the legs of the entries that were added. */
function posted(legs: readonly EntryLeg[], added: Relation<Row<Entry, 'id'>>): Cte<unknown> {
  return cte(
    'posted',
    sql`insert into ${posting} ${columns(posting, 'entryId', 'accountId', 'asset', 'environment', 'amount')}
        select ${leg.entryId}, ${leg.accountId}, ${leg.asset}, ${leg.environment}, ${leg.amount}
          from ${unnest(leg, legs)} join ${added} on ${added.id} = ${leg.entryId} order by ${leg.nth}`,
  );
}

/** Finds one entry that is booked under one of these references with other content. */
export const findOtherContent = (entries: readonly HashedEntry[]) => sql`
  select ${out(entry, 'reference')} from ${entry}
    join ${unnest(booked, entries)} on ${booked.reference} = ${entry.reference} and ${booked.hash} <> ${entry.contentHash}
   order by ${entry.reference} limit 1`;

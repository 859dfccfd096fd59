import type { Environment } from '../domain/network.js';
import type { Leg } from '../domain/posting.js';
import { given, unnest } from '../platform/sql/given.js';
import { all, cte, define } from '../platform/sql/relation.js';
import { sql } from '../platform/sql/sql.js';
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
    sql`insert into ${entry} ${columns(entry, 'id', 'reference', 'kind', 'contentHash')}
        select ${booked.entryId}, ${booked.reference}, ${booked.kind}, ${booked.hash} from ${unnest(booked, entries)}
        on conflict ${columns(entry, 'reference')} do nothing returning ${out(entry, 'id')}`,
  );
  return sql`
    with ${define(added)},
         posted as (
           insert into ${posting} ${columns(posting, 'entryId', 'accountId', 'asset', 'environment', 'amount')}
           select ${leg.entryId}, ${leg.accountId}, ${leg.asset}, ${leg.environment}, ${leg.amount}
             from ${unnest(leg, legs)} join ${added} on ${added.id} = ${leg.entryId} order by ${leg.nth})
    select ${all(added)} from ${added}`;
}

/** Finds one entry that is booked under one of these references with other content. */
export const findOtherContent = (entries: readonly HashedEntry[]) => sql`
  select ${out(entry, 'reference')} from ${entry}
    join ${unnest(booked, entries)} on ${booked.reference} = ${entry.reference} and ${booked.hash} <> ${entry.contentHash}
   order by ${entry.reference} limit 1`;

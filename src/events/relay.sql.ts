import { as } from '../platform/sql/as.js';
import { given, unnest } from '../platform/sql/given.js';
import { define, relation, subselect } from '../platform/sql/relation.js';
import { type RowOf, sql } from '../platform/sql/sql.js';
import { columns, out, set, table } from '../platform/sql/table.js';
import { EventCounter } from './event-counter.entity.js';
import { Event } from './event.entity.js';

const event = table(Event);
const counter = table(EventCounter, 'counter');
const excluded = table(EventCounter, 'excluded');
const owner = given('owner', { merchantId: 'text', environment: 'text' });
const numbered = given('numbered', { id: 'text', sequence: 'bigint', body: 'text' });

/**
 * Waits until no other process relays. The lock belongs to the transaction that writes, which fences better than a lease:
 * a paused relay cannot write after another has taken over, because it loses the lock only with its transaction. It waits
 * instead of trying, because the holder may have read before our event was committed. It is a separate statement, so that
 * the next one sees the writes of the previous holder.
 */
export const takeRelayTurn = sql`select pg_advisory_xact_lock(hashtextextended(${'coffer:events.relay'}, 0))`;

const oldestUnsequenced = (limit: number) => sql`
  select ${out(event, 'id', 'merchantId', 'environment', 'type', 'data', 'createdAt', 'position')}
    from ${event} where ${event.sequence} is null order by ${event.position} limit ${limit}`;
const oldest = subselect('oldest', oldestUnsequenced);

const measured = (limit: number) => sql`
  select oldest.*, sum(length(${oldest.data})) over (order by ${oldest.position}) - length(${oldest.data}) as before_it
    from ${define(oldest, limit)}`;
const waiting = relation<RowOf<typeof oldestUnsequenced>>('waiting');

/** Reads the oldest events without a sequence: at most so many, and the data of all but the last within so many characters. */
export const nextUnsequenced = (limit: number, characters: number) => sql`
  select ${waiting.id.as('id')}, ${waiting.merchantId.as('merchantId')}, ${waiting.environment.as('environment')},
         ${waiting.type.as('type')}, ${waiting.data.as('data')},
         to_char(${waiting.createdAt} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') ${as.text('createdAt')}
    from (${measured(limit)}) waiting where before_it < ${characters} order by ${waiting.position}`;

/** Advances the counters of the owners of events, an owner as often as it is listed, and returns them. */
export const advanceCounters = (
  owners: readonly { readonly merchantId: string; readonly environment: string }[],
) => sql`
  insert into ${counter} ${columns(counter, 'merchantId', 'environment', 'lastSequence')}
  select ${owner.merchantId}, ${owner.environment}, count(*) from ${unnest(owner, owners)}
   group by ${owner.merchantId}, ${owner.environment}
  on conflict ${columns(counter, 'merchantId', 'environment')} do update
     set ${set(counter, { lastSequence: sql`${counter.lastSequence} + ${excluded.lastSequence}` })}
  returning ${out(counter, 'merchantId', 'environment', 'lastSequence')}`;

/** Gives events their sequence and body. */
export const numberEvents = (
  events: readonly { readonly id: string; readonly sequence: number; readonly body: string }[],
) => sql`
  update ${event} set ${set(event, { sequence: numbered.sequence, body: numbered.body })}
    from ${unnest(numbered, events)} where ${event.id} = ${numbered.id}`;

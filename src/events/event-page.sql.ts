import type { Tenant } from '../domain/tenant.js';
import { join, sql, type SqlText } from '../platform/sql/sql.js';
import { table } from '../platform/sql/table.js';
import { EventCounter } from './event-counter.entity.js';
import { Event } from './event.entity.js';
import type { EventListQuery } from './events.schema.js';

const event = table(Event);
const counter = table(EventCounter);

/** Above every sequence. */
const NO_SEQUENCE = sql`9223372036854775807`;

/**
 * Reads a page of the tenant's events in the order of the sequence: ascending with `after_sequence`, otherwise newest
 * first; one more than `limit` is read. `cursor` is the sequence of the event before the page.
 *
 * Dates become bounds of the sequence. Times and sequences disagree by at most the disorder, so an event that is older than
 * `created_gte` by more than the disorder has a lower sequence than every event since `created_gte`. The same holds for
 * `created_lt`. Each event within the bounds is then compared with the dates.
 *
 * That comparison is a `case`, which no index serves. With a plain comparison the planner would use the index on the times,
 * read all events between the dates and sort them.
 */
export function eventPage(tenant: Tenant, query: EventListQuery, cursor: string | null) {
  const { after_sequence: after, created_gte: from, created_lt: until } = query;
  const isAscending = after !== undefined;
  const own = ownedBy(tenant);
  const where: SqlText[] = [own];
  const lower: SqlText[] = [sql`${after ?? 0}::bigint`];
  const upper: SqlText[] = [];
  if (cursor !== null) (isAscending ? lower : upper).push(sql`${cursor}::bigint`);
  if (query.event_type !== undefined) where.push(sql`${event.type} = ${query.event_type}`);
  if (from !== undefined) {
    where.push(sql`case when ${event.createdAt} >= ${from} then true else false end`);
    lower.push(sql`(select ${event.sequence} from ${event}
      where ${own} and ${event.createdAt} < ${from}::timestamptz - ${disorderOf(tenant)}
      order by ${event.createdAt} desc, ${event.id} desc limit 1)`);
  }
  if (until !== undefined) {
    where.push(sql`case when ${event.createdAt} < ${until} then true else false end`);
    upper.push(sql`(select ${event.sequence} from ${event}
      where ${own} and ${event.createdAt} >= ${until}::timestamptz + ${disorderOf(tenant)}
      order by ${event.createdAt}, ${event.id} limit 1)`);
  }
  where.push(sql`${event.sequence} > greatest(${join(lower, ', ')})`);
  if (upper.length > 0) where.push(sql`${event.sequence} < coalesce(least(${join(upper, ', ')}), ${NO_SEQUENCE})`);
  return sql`
    select ${event.body.asNotNull('body')} from ${event} where ${join(where, ' and ')}
     order by ${event.sequence} ${isAscending ? sql`asc` : sql`desc`} limit ${query.limit + 1}`;
}

const ownedBy = ({ merchantId, environment }: Tenant) =>
  sql`${event.merchantId} = ${merchantId} and ${event.environment} = ${environment} and ${event.sequence} is not null`;

/** The most by which an event of the tenant is older than an event with a lower sequence. */
const disorderOf = ({ merchantId, environment }: Tenant) => sql`
  interval '1 millisecond' * coalesce(
    (select ${counter.disorderMs} from ${counter}
      where ${counter.merchantId} = ${merchantId} and ${counter.environment} = ${environment}), 0)`;

import type { Tenant } from '../domain/tenant.js';
import { Conditions } from '../platform/database/conditions.js';
import type { SqlParameter } from '../platform/database/database.js';
import type { EventListQuery } from './events.schema.js';

const OWN = 'merchant_id = $1 and environment = $2 and sequence is not null';

/** Above every sequence. */
const NO_SEQUENCE = '9223372036854775807';

/** The most by which an event of the tenant is older than an event with a lower sequence. */
const DISORDER = `interval '1 millisecond' * coalesce(
  (select disorder_ms from event_counter where merchant_id = $1 and environment = $2), 0)`;

/**
 * Builds a page of the tenant's events in the order of the sequence: ascending with `after_sequence`, otherwise newest
 * first; one more than `limit` is read. `cursor` is the sequence of the event before the page.
 *
 * Dates become bounds of the sequence. Times and sequences disagree by at most the disorder, so an event that is older than
 * `created_gte` by more than the disorder has a lower sequence than every event since `created_gte`. The same holds for
 * `created_lt`. Each event within the bounds is then compared with the dates.
 *
 * That comparison is a `case`, which no index serves. With a plain comparison the planner would use the index on the times,
 * read all events between the dates and sort them.
 */
export function eventPage(
  tenant: Tenant,
  query: EventListQuery,
  cursor: string | null,
): { readonly text: string; readonly parameters: readonly SqlParameter[] } {
  // The first two placeholders, which `OWN` and `DISORDER` use as well.
  const where = new Conditions().and('merchant_id = ? and environment = ?', tenant.merchantId, tenant.environment);
  const { after_sequence: after, created_gte: from, created_lt: until } = query;
  const isAscending = after !== undefined;
  const lower = [`${where.place(after ?? 0)}::bigint`];
  const upper: string[] = [];
  if (cursor !== null) (isAscending ? lower : upper).push(`${where.place(cursor)}::bigint`);
  if (query.event_type !== undefined) where.and('type = ?', query.event_type);
  if (from !== undefined) {
    const place = where.place(from);
    where.and(`case when created_at >= ${place} then true else false end`);
    lower.push(`(select sequence from event where ${OWN} and created_at < ${place}::timestamptz - ${DISORDER}
      order by created_at desc, id desc limit 1)`);
  }
  if (until !== undefined) {
    const place = where.place(until);
    where.and(`case when created_at < ${place} then true else false end`);
    upper.push(`(select sequence from event where ${OWN} and created_at >= ${place}::timestamptz + ${DISORDER}
      order by created_at, id limit 1)`);
  }
  where.and(`sequence > greatest(${lower.join(', ')})`);
  if (upper.length > 0) where.and(`sequence < coalesce(least(${upper.join(', ')}), ${NO_SEQUENCE})`);
  return {
    text: `select body from event where ${where.text} and sequence is not null order by sequence ${isAscending ? 'asc' : 'desc'}
      limit ${where.place(query.limit + 1)}`,
    parameters: where.parameters,
  };
}

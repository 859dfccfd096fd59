import { Merchant } from '../../auth/merchant.entity.js';
import type { Environment } from '../../domain/network.js';
import { Event } from '../../events/event.entity.js';
import { as } from '../../platform/sql/as.js';
import { newestFirst, type TimeCursor, withinTime } from '../../platform/sql/newest-first.js';
import { all, relation } from '../../platform/sql/relation.js';
import type { Row } from '../../platform/sql/row.js';
import { join, literal, type RowOf, sql, type SqlText } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { Delivery } from '../deliveries/delivery.entity.js';
import { WebhookEndpoint } from '../endpoints/webhook-endpoint.entity.js';
import { causeOf } from './delivery-causes.sql.js';
import type { DeliveryFilter } from './delivery-filter.js';
import { owner, type Walk, walksOf } from './delivery-walks.sql.js';

const delivery = table(Delivery);
const event = table(Event);
const endpoint = table(WebhookEndpoint);
const merchant = table(Merchant);
/** The place of a delivery in a list. */
type DeliveryPlace = Row<Delivery, 'id' | 'createdAt'>;
const walked = relation<DeliveryPlace>('walked');
const merged = relation<DeliveryPlace>('merged');
const page = relation<DeliveryPlace>('page');

/** Reads the columns of deliveries that staff see. */
const shownDeliveries = (which: SqlText) => sql`
  select ${out(delivery, 'id', 'endpointId', 'eventId', 'status', 'series', 'superseded', 'attempts')},
         ${out(delivery, 'dueAt', 'createdAt', 'finishedAt', 'lastResponseStatus', 'lastErrorCode', 'replayJobId')},
         ${event.type.as('eventType')}, ${out(event, 'traceparent', 'resourceId')},
         ${endpoint.url.as('endpointUrl')}, ${endpoint.enabled.as('endpointEnabled')},
         ${endpoint.deletedAt} is not null ${as.boolean('endpointDeleted')},
         ${endpoint.environment.as('environment')}, ${endpoint.merchantId.as('merchantId')},
         ${merchant.name.as('merchantName')}
    from ${delivery}
    join ${event} on ${event.id} = ${delivery.eventId}
    join ${endpoint} on ${endpoint.id} = ${delivery.endpointId}
    join ${merchant} on ${merchant.id} = ${endpoint.merchantId}
  ${which}`;

/** Finds a delivery of an environment. */
export const findShown = (environment: Environment, id: string) =>
  shownDeliveries(sql`where ${delivery.id} = ${id} and ${delivery.environment} = ${environment}`);

/** Finds every series of an event for an endpoint, the first one first. */
export const allSeries = (eventId: string, endpointId: string) =>
  shownDeliveries(sql`
    where ${delivery.eventId} = ${eventId} and ${delivery.endpointId} = ${endpointId} order by ${delivery.series}`);

/** Finds the place of a delivery in the lists of an environment. */
export const placeOf = (environment: Environment, id: string) => sql`
  select ${out(delivery, 'id', 'createdAt')} from ${delivery}
   where ${delivery.id} = ${id} and ${delivery.environment} = ${environment}`;

/** Reads `limit` deliveries of a filter after the cursor, newest first. Null when none can match. */
export function searchPage(
  environment: Environment,
  filter: DeliveryFilter,
  { limit: rows, cursor }: { readonly limit: number; readonly cursor: TimeCursor | null },
) {
  const walks = walksOf(environment, filter);
  if (walks.length === 0) return null;
  // A plan for any limit would expect a tenth of all rows, and read the whole table.
  const limit = literal(rows);
  const found = walks.map(
    (walk) => sql`
      (select ${all(walked)}
         from (${walk.owners}) ${owner}
        cross join lateral (
          select ${out(delivery, 'id', 'createdAt')} from ${delivery}
           where ${within(walk, filter, cursor)} ${newestFirst(delivery)} limit ${limit}) ${walked}
        ${newestFirst(walked)} limit ${limit})`,
  );
  return shownDeliveries(sql`
    join (select ${all(merged)} from (${join(found, ' union all ')}) ${merged} ${newestFirst(merged)} limit ${limit}) ${page}
      on ${page.id} = ${delivery.id}
    ${newestFirst(delivery)}`);
}

const within = ({ match }: Walk, filter: DeliveryFilter, cursor: TimeCursor | null): SqlText =>
  join([match, ...withinTime(delivery, filter, cursor)], ' and ');

const groupOf = (which: SqlText) => sql`
  select ${out(delivery, 'endpointId', 'status')}, ${causeOf} ${as.text('cause')} from ${delivery} ${which}`;
const group = relation<RowOf<typeof groupOf>>('matching');

/** Counts the deliveries of a filter by endpoint, status and cause, up to `max` of each walk. Null when none can match. */
export function countMatching(environment: Environment, filter: DeliveryFilter, max: number) {
  const walks = walksOf(environment, filter);
  if (walks.length === 0) return null;
  const found = walks.map(
    (walk) => sql`
      (select ${all(group)}
         from (${walk.owners}) ${owner}
        cross join lateral (
          ${groupOf(sql`where ${within(walk, filter, null)} ${newestFirst(delivery)} limit ${max}`)}) ${group}
        limit ${max})`,
  );
  return sql`
    select ${group.endpointId.as('endpointId')}, ${group.status.as('status')}, ${group.cause.as('cause')},
           count(*) ${as.digits('count')}
      from (${join(found, ' union all ')}) ${group} group by 1, 2, 3`;
}

import { DELIVERY_STATUSES, type DeliveryStatus } from '../../domain/delivery-status.js';
import { Event } from '../../events/event.entity.js';
import { as } from '../../platform/sql/as.js';
import { newestFirst, type TimeCursor, withinTime } from '../../platform/sql/newest-first.js';
import { all, relation } from '../../platform/sql/relation.js';
import type { Row } from '../../platform/sql/row.js';
import { join, raw, sql, type SqlText } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { WebhookEndpoint } from '../endpoints/webhook-endpoint.entity.js';
import { within } from '../endpoints/webhook-endpoints.sql.js';
import type { WebhookScope } from '../endpoints/webhook-scope.js';
import type { AttemptErrorCode } from './attempt.js';
import { DeliveryAttempt } from './delivery-attempt.entity.js';
import { Delivery } from './delivery.entity.js';
import type { ListDeliveriesQuery } from './delivery.schema.js';

const delivery = table(Delivery);
const event = table(Event);
const attempt = table(DeliveryAttempt);
/** The place of a delivery in a list. */
type DeliveryPlace = Row<Delivery, 'id' | 'createdAt'>;
const owner = relation<Row<WebhookEndpoint, 'id'>>('owner');
const walked = relation<DeliveryPlace>('walked');
const merged = relation<DeliveryPlace>('merged');
const page = relation<DeliveryPlace>('page');

/** Reads the shown columns of deliveries, with their event and their latest attempt. An old attempt is no longer there. */
const shownDeliveries = (which: SqlText) => sql`
  select ${out(delivery, 'id', 'endpointId', 'eventId', 'status', 'series', 'superseded', 'attempts')},
         ${out(delivery, 'dueAt', 'createdAt', 'finishedAt')},
         ${delivery.merchantId.asNotNull('merchantId')}, ${delivery.environment.asNotNull('environment')},
         ${event.type.as('eventType')}, ${out(event, 'traceparent')},
         coalesce(${attempt.responseStatus}, ${delivery.lastResponseStatus}) ${as.intOrNull('lastResponseStatus')},
         coalesce(${attempt.errorCode}, ${delivery.lastErrorCode}) ${as.textOfOrNull<AttemptErrorCode>()('lastErrorCode')}
    from ${delivery}
    join ${event} on ${event.id} = ${delivery.eventId}
    left join ${attempt} on ${attempt.deliveryId} = ${delivery.id} and ${attempt.number} = ${delivery.attempts}
  ${which}`;

const isOne = (scope: WebhookScope, id: string): SqlText =>
  sql`where ${join([sql`${delivery.id} = ${id}`, ...within(delivery, scope)], ' and ')}`;

/** Finds a delivery of the scope. */
export const findDelivery = (scope: WebhookScope, id: string) => shownDeliveries(isOne(scope, id));

/** Finds the place of a delivery of the scope in the list. */
export const findPlace = (scope: WebhookScope, id: string) => sql`
  select ${out(delivery, 'id', 'createdAt')} from ${delivery} ${isOne(scope, id)}`;

/** One index walk: for each row of `owners`, the deliveries that `match` it. */
interface Walk {
  readonly owners: SqlText;
  readonly match: SqlText;
}

/**
 * Reads one page, newest first, after the cursor; one more than `limit` is read. The page merges walks: each follows an
 * index that has the order of the list and stops at the page's limit, so that every page costs the same, at any depth and
 * with any filter. No index on all deliveries of a merchant has that order, so every endpoint and status has its own walk.
 * Endpoints are few, and another index would have to be written for every delivery.
 */
export function deliveryPage(scope: WebhookScope, query: ListDeliveriesQuery, cursor: TimeCursor | null) {
  const limit = query.limit + 1;
  const walks = walksOf(scope, query).map(({ owners, match }) => {
    const where = join([match, ...withinTime(delivery, query, cursor)], ' and ');
    return sql`
      (select ${all(walked)}
         from (${owners}) ${owner}
        cross join lateral (
          select ${out(delivery, 'id', 'createdAt')} from ${delivery} where ${where}
          ${newestFirst(delivery)} limit ${limit}) ${walked}
        ${newestFirst(walked)} limit ${limit})`;
  });
  return shownDeliveries(sql`
    join (select ${all(merged)} from (${join(walks, ' union all ')}) ${merged} ${newestFirst(merged)} limit ${limit}) ${page}
      on ${page.id} = ${delivery.id}
    ${newestFirst(delivery)}`);
}

function walksOf(
  scope: WebhookScope,
  { status, endpoint_id: endpointId, event_id: eventId }: ListDeliveriesQuery,
): Walk[] {
  if (eventId !== undefined) {
    const owned = [sql`${event.id} = ${eventId}`, ...within(event, scope)];
    const match = [
      sql`${delivery.eventId} = ${owner.id}`,
      ...(endpointId === undefined ? [] : [sql`${delivery.endpointId} = ${endpointId}`]),
      ...(status === undefined ? [] : [having(status)]),
    ];
    const owners = sql`select ${out(event, 'id')} from ${event} where ${join(owned, ' and ')}`;
    return [{ owners, match: join(match, ' and ') }];
  }
  const endpoint = table(WebhookEndpoint);
  const owned = [
    sql`true`,
    ...within(endpoint, scope),
    ...(endpointId === undefined ? [] : [sql`${endpoint.id} = ${endpointId}`]),
  ];
  const owners = sql`select ${out(endpoint, 'id')} from ${endpoint} where ${join(owned, ' and ')}`;
  const statuses = status === undefined ? DELIVERY_STATUSES : [status];
  return statuses.map((one) => ({ owners, match: sql`${delivery.endpointId} = ${owner.id} and ${having(one)}` }));
}

/** A literal, so that the planner can pick the partial index. It is a constant of ours, not input. */
const having = (status: DeliveryStatus): SqlText => sql`${delivery.status} = ${raw(`'${status}'`)}`;

import { DELIVERY_STATUSES, type DeliveryStatus } from '../../domain/delivery-status.js';
import { EVENT_TYPES } from '../../domain/event-type.js';
import type { Environment } from '../../domain/network.js';
import { Event } from '../../events/event.entity.js';
import { as } from '../../platform/sql/as.js';
import { relation } from '../../platform/sql/relation.js';
import { join, raw, type RowOf, sql, type SqlText } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { Delivery } from '../deliveries/delivery.entity.js';
import { waiting, waitingEndpoints } from '../deliveries/waiting-endpoints.sql.js';
import { WebhookEndpoint } from '../endpoints/webhook-endpoint.entity.js';
import { causeOf, causeRows, isDead, relatedCauses } from './delivery-causes.sql.js';
import type { DeliveryFilter, ResponseClass } from './delivery-filter.js';

const delivery = table(Delivery);
const endpoint = table(WebhookEndpoint);
const event = table(Event);

/** A row of `Walk.owners`: what the columns of an index begin with. */
export const owner = relation<RowOf<typeof relatedCauses>>('owner');

/** One index walk: for each row of `owners`, the deliveries that `match` it, which an index has in the order of lists. */
export interface Walk {
  readonly owners: SqlText;
  readonly match: SqlText;
}

/**
 * Returns walks that together find the deliveries of a filter, except for its dates. No index has all deliveries in the
 * order of the list, since a waiting one would be written to it at each change. Dead letters and finished deliveries have
 * indexes of their environment, and what waits is found endpoint by endpoint. No walks: nothing can match.
 */
export function walksOf(environment: Environment, filter: DeliveryFilter): Walk[] {
  const { event_id: eventId, endpoint_id: endpointId, merchant_id: merchantId } = filter;
  const statuses = statusesOf(filter);
  if (statuses.length === 0) return [];
  if (eventId !== undefined) return [walkOfEvent(environment, eventId, { ...filter, statuses })];
  const endpoints = endpointId === undefined && merchantId === undefined ? null : endpointsOf(environment, filter);
  return statuses.map((status) => {
    if (status === 'dead_letter' && filter.response !== undefined)
      return walkOfCauses(environment, filter.response, endpoints, filter);
    return endpoints === null
      ? walkOfEnvironment(environment, status, filter)
      : walkOfEndpoints(endpoints, status, filter);
  });
}

/** The statuses that a filter can find: an answer of 2xx has delivered the delivery, and nothing else has. */
export function statusesOf({ status, response }: Pick<DeliveryFilter, 'status' | 'response'>): DeliveryStatus[] {
  return DELIVERY_STATUSES.filter(
    (one) =>
      (status === undefined || one === status) &&
      (response === undefined || (response === '2xx') === (one === 'delivered')),
  );
}

/** A literal, so that the planner can pick a partial index. It is a constant of ours, not input. */
export const having = (status: DeliveryStatus): SqlText => sql`${delivery.status} = ${raw(`'${status}'`)}`;

/** Returns the conditions of a filter that no walk has in its index. */
export function conditionsOf({ event_type: eventType, response }: DeliveryFilter): SqlText[] {
  return [
    ...(eventType === undefined ? [] : [sql`${delivery.eventType} = ${eventType}`]),
    ...(response === undefined || response === '2xx' ? [] : [answered(response)]),
  ];
}

function answered(response: Exclude<ResponseClass, '2xx'>): SqlText {
  if (response === 'none') return sql`${delivery.lastErrorCode} is not null`;
  const first = Number(response[0]) * 100;
  return sql`${delivery.lastResponseStatus} between ${first} and ${first + 99}`;
}

function endpointsOf(environment: Environment, filter: DeliveryFilter): SqlText {
  const { endpoint_id: endpointId, merchant_id: merchantId } = filter;
  const conditions = [
    sql`${endpoint.environment} = ${environment}`,
    ...(merchantId === undefined ? [] : [sql`${endpoint.merchantId} = ${merchantId}`]),
    ...(endpointId === undefined ? [] : [sql`${endpoint.id} = ${endpointId}`]),
  ];
  return sql`select ${out(endpoint, 'id')} from ${endpoint} where ${join(conditions, ' and ')}`;
}

function walkOfEvent(
  environment: Environment,
  eventId: string,
  filter: DeliveryFilter & { readonly statuses: readonly DeliveryStatus[] },
): Walk {
  const { endpoint_id: endpointId, merchant_id: merchantId, statuses } = filter;
  const match = [
    sql`${delivery.eventId} = ${owner.id}`,
    sql`${delivery.status} = any(${statuses}) and not ${delivery.superseded}`,
    ...(endpointId === undefined ? [] : [sql`${delivery.endpointId} = ${endpointId}`]),
    ...(merchantId === undefined ? [] : [sql`${delivery.merchantId} = ${merchantId}`]),
    ...conditionsOf(filter),
  ];
  const owners = sql`
    select ${out(event, 'id')} from ${event} where ${event.id} = ${eventId} and ${event.environment} = ${environment}`;
  return { owners, match: join(match, ' and ') };
}

function walkOfEndpoints(owners: SqlText, status: DeliveryStatus, filter: DeliveryFilter): Walk {
  const own = sql`${delivery.endpointId} = ${owner.id} and ${having(status)} and not ${delivery.superseded}`;
  return { owners, match: join([own, ...conditionsOf(filter)], ' and ') };
}

function walkOfEnvironment(environment: Environment, status: DeliveryStatus, filter: DeliveryFilter): Walk {
  switch (status) {
    case 'dead_letter': {
      const match = [sql`${delivery.environment} = ${environment} and ${isDead}`, ...conditionsOf(filter)];
      return { owners: sql`select '' ${as.text('id')}`, match: join(match, ' and ') };
    }
    case 'pending': {
      const owners = sql`
        with recursive ${waitingEndpoints}
        select ${endpoint.id.as('id')} from ${waiting}
          join ${endpoint} on ${endpoint.id} = ${waiting.endpointId} and ${endpoint.environment} = ${environment}`;
      return walkOfEndpoints(owners, status, filter);
    }
    case 'held': {
      const owners = sql`
        select ${out(endpoint, 'id')} from ${endpoint} where ${endpoint.holds} and ${endpoint.environment} = ${environment}`;
      return walkOfEndpoints(owners, status, filter);
    }
    default:
      return walkOfFinished(environment, status, filter);
  }
}

/** Dead letters of a class of answers are walked cause by cause: few others may be of that class. */
function walkOfCauses(
  environment: Environment,
  response: ResponseClass,
  endpoints: SqlText | null,
  { event_type: eventType }: DeliveryFilter,
): Walk {
  const own = sql`
    ${delivery.environment} = ${environment} and ${delivery.endpointId} = ${owner.id} and ${causeOf} = ${owner.cause}
      and ${isDead}`;
  return {
    owners: sql`with recursive ${causeRows(environment)} ${relatedCauses(response, endpoints)}`,
    match: join([own, ...conditionsOf({ event_type: eventType })], ' and '),
  };
}

function walkOfFinished(environment: Environment, status: 'delivered' | 'cancelled', filter: DeliveryFilter): Walk {
  const types = filter.event_type === undefined ? EVENT_TYPES : [filter.event_type];
  const own = sql`
    ${delivery.environment} = ${environment} and ${having(status)} and ${delivery.eventType} = ${owner.id}
      and not ${delivery.superseded}`;
  return {
    owners: sql`select unnest(${[...types]}::text[]) ${as.text('id')}`,
    match: join([own, ...conditionsOf({ response: filter.response })], ' and '),
  };
}

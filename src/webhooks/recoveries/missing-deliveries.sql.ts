import { ALL_EVENT_TYPES } from '../../domain/event-type.js';
import { Event } from '../../events/event.entity.js';
import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { columns, out, table } from '../../platform/sql/table.js';
import { insertDeliveries, type OwedDelivery } from '../deliveries/delivery-fanout.sql.js';
import { Delivery } from '../deliveries/delivery.entity.js';
import type { WebhookEndpoint } from '../endpoints/webhook-endpoint.entity.js';

const event = table(Event);
const delivery = table(Delivery);

/**
 * Reads the next events of an endpoint's tenant, and says which of them the endpoint subscribes to and has no delivery of.
 * A `ping` is never missing: it tests one endpoint at one time.
 */
export const nextEvents = (
  endpoint: WebhookEndpoint,
  [createdAt, id]: readonly [Date | string, string],
  limit: number,
) => sql`
  select ${out(event, 'id', 'type', 'createdAt')},
         ${event.type} <> 'ping' and ${endpoint.eventTypes}::text[] && array[${event.type}, ${ALL_EVENT_TYPES}]
           and not exists (
             select from ${delivery} where ${delivery.eventId} = ${event.id} and ${delivery.endpointId} = ${endpoint.id})
         ${as.boolean('isMissing')}
    from ${event}
   where ${event.merchantId} = ${endpoint.merchantId} and ${event.environment} = ${endpoint.environment}
     and ${event.sequence} is not null and (${event.createdAt}, ${event.id}) > (${createdAt}::timestamptz, ${id})
   order by ${event.createdAt}, ${event.id} limit ${limit}`;

/** Inserts deliveries that wait, unless they exist. */
export const insertMissing = (deliveries: readonly OwedDelivery[], replayJobId: string | null = null) => sql`
  ${insertDeliveries(deliveries, replayJobId)} on conflict ${columns(delivery, 'eventId', 'endpointId', 'series')} do nothing
  returning ${out(delivery, 'id')}`;

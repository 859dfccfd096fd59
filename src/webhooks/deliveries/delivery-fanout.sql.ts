import { ALL_EVENT_TYPES } from '../../domain/event-type.js';
import { Event } from '../../events/event.entity.js';
import { given, unnest } from '../../platform/sql/given.js';
import { sql } from '../../platform/sql/sql.js';
import { columns, out, table } from '../../platform/sql/table.js';
import { WebhookEndpoint } from '../endpoints/webhook-endpoint.entity.js';
import { Delivery } from './delivery.entity.js';

const delivery = table(Delivery);
const event = table(Event);
const endpoint = table(WebhookEndpoint);
const owed = given('owed', {
  id: 'text',
  eventId: 'text',
  endpointId: 'text',
  merchantId: 'text',
  environment: 'text',
  eventType: 'text',
  replayJobId: 'text',
});

/** A delivery to create. */
export interface OwedDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly endpointId: string;
  readonly merchantId: string;
  readonly environment: string;
  readonly eventType: string;
}

/**
 * Finds the endpoints that receive these events. A `ping` goes only to the endpoint it names. An endpoint receives no event
 * that is older than the endpoint.
 */
export const owedDeliveries = (eventIds: readonly string[]) => sql`
  select ${event.id.as('eventId')}, ${endpoint.id.as('endpointId')}, ${out(event, 'merchantId', 'environment')},
         ${event.type.as('eventType')}
    from ${event}
    join ${endpoint} on ${endpoint.merchantId} = ${event.merchantId} and ${endpoint.environment} = ${event.environment}
   where ${event.id} = any(${eventIds}) and ${endpoint.enabled} and ${endpoint.deletedAt} is null
     and ${endpoint.createdAt} <= ${event.createdAt}
     and case when ${event.type} = 'ping' then ${endpoint.id} = ${event.resourceId}
              else ${endpoint.eventTypes} && array[${event.type}, ${ALL_EVENT_TYPES}] end
   order by ${event.position}, ${endpoint.id}`;

/** Inserts deliveries that wait, for a job of staff if its id is given. */
export const insertDeliveries = (deliveries: readonly OwedDelivery[], replayJobId: string | null = null) => sql`
  insert into ${delivery}
    ${columns(delivery, 'id', 'eventId', 'endpointId', 'merchantId', 'environment', 'eventType', 'replayJobId', 'status')}
  select ${owed.id}, ${owed.eventId}, ${owed.endpointId}, ${owed.merchantId}, ${owed.environment}, ${owed.eventType},
         ${owed.replayJobId}, 'pending'
    from ${unnest(
      owed,
      deliveries.map((one) => ({ ...one, replayJobId })),
    )}`;

import { Merchant } from '../../auth/merchant.entity.js';
import { ALL_EVENT_TYPES } from '../../domain/event-type.js';
import type { Environment } from '../../domain/network.js';
import { Event } from '../../events/event.entity.js';
import { as } from '../../platform/sql/as.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { Delivery } from '../deliveries/delivery.entity.js';
import { WebhookEndpoint } from '../endpoints/webhook-endpoint.entity.js';
import { causeOf } from '../overview/delivery-causes.sql.js';

const delivery = table(Delivery);
const endpoint = table(WebhookEndpoint);
const merchant = table(Merchant);
const event = table(Event);

/** Counts a selection of deliveries by endpoint, status and cause. */
export const countChosen = (environment: Environment, ids: readonly string[]) => sql`
  select ${delivery.endpointId.as('endpointId')}, ${delivery.status.as('status')}, ${causeOf} ${as.text('cause')},
         count(*) ${as.digits('count')}
    from ${delivery}
   where ${delivery.id} = any(${ids}) and ${delivery.environment} = ${environment} and not ${delivery.superseded}
   group by 1, 2, 3`;

/** Reads endpoints with the names of their merchants. */
export const namedEndpoints = (ids: readonly string[]) => sql`
  select ${out(endpoint, 'id', 'url', 'enabled', 'merchantId')}, ${endpoint.deletedAt} is not null ${as.boolean('isDeleted')},
         ${merchant.name.as('merchantName')}
    from ${endpoint} join ${merchant} on ${merchant.id} = ${endpoint.merchantId}
   where ${endpoint.id} = any(${ids})`;

const firstEvents = ({ merchantId, environment }: WebhookEndpoint, since: Date, max: number) => sql`
  select ${out(event, 'id', 'type')} from ${event}
   where ${event.merchantId} = ${merchantId} and ${event.environment} = ${environment}
     and ${event.sequence} is not null and ${event.createdAt} >= ${since}
   order by ${event.createdAt}, ${event.id} limit ${max}`;
const first = subselect('first_events', firstEvents);

/** Counts the events since a time that an endpoint has no delivery of, among the first `max` of its tenant. */
export const countMissing = (owned: WebhookEndpoint, since: Date, max: number) => sql`
  select count(*) ${as.digits('examined')},
         (select count(*) from ${define(first, owned, since, max)}
           where ${first.type} <> 'ping' and ${owned.eventTypes}::text[] && array[${first.type}, ${ALL_EVENT_TYPES}]
             and not exists (
               select from ${delivery} where ${delivery.eventId} = ${first.id} and ${delivery.endpointId} = ${owned.id}))
         ${as.digits('missing')}
    from ${define(first, owned, since, max)}`;

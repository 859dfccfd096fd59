import { as } from '../../platform/sql/as.js';
import { flooredNow } from '../../platform/sql/floored-now.js';
import { join, type RowOf, sql } from '../../platform/sql/sql.js';
import { columns, out, set, table } from '../../platform/sql/table.js';
import { WebhookEndpoint } from '../endpoints/webhook-endpoint.entity.js';
import { within } from '../endpoints/webhook-endpoints.sql.js';
import type { WebhookScope } from '../endpoints/webhook-scope.js';
import { Delivery } from './delivery.entity.js';

const delivery = table(Delivery);
const endpoint = table(WebhookEndpoint);

/** Locks a delivery of the scope, so that a claim or a second retry waits and then sees the new state. */
export const lockDelivery = (scope: WebhookScope, id: string) => sql`
  select ${out(delivery, 'id', 'status', 'superseded', 'endpointId')},
         coalesce(${delivery.leaseUntil} > clock_timestamp(), false) ${as.boolean('isInFlight')},
         ${endpoint.enabled.as('isEnabled')}, ${endpoint.deletedAt} is not null ${as.boolean('isDeleted')}
    from ${delivery} join ${endpoint} on ${endpoint.id} = ${delivery.endpointId}
   where ${join([sql`${delivery.id} = ${id}`, ...within(delivery, scope)], ' and ')}
     for no key update of ${delivery}`;

/** A locked delivery. */
export type LockedDelivery = RowOf<typeof lockDelivery>;

/** Makes a delivery due. One that is already due keeps its place in the queue. */
export const makeDue = (id: string, replayJobId?: string) => sql`
  update ${delivery}
     set ${set(delivery, {
       status: 'pending',
       dueAt: sql`least(${delivery.dueAt}, ${flooredNow})`,
       replayJobId: replayJobId ?? delivery.replayJobId,
     })}
   where ${delivery.id} = ${id}`;

/** Begins the next series of a delivery, under a new id. */
export const beginSeries = (
  id: string,
  { begun, status, replayJobId }: { begun: string; status: 'pending' | 'held'; replayJobId: string | undefined },
) => sql`
  insert into ${delivery}
    ${columns(delivery, 'id', 'eventId', 'endpointId', 'merchantId', 'environment', 'eventType', 'replayJobId', 'series', 'status')}
  select ${begun}, ${delivery.eventId}, ${delivery.endpointId}, ${delivery.merchantId}, ${delivery.environment},
         ${delivery.eventType}, ${replayJobId ?? null}, ${delivery.series} + 1, ${status}
    from ${delivery} where ${delivery.id} = ${id}`;

/** Notes that deliveries of an endpoint are paused. */
export const noteHeld = (endpointId: string) => sql`
  update ${endpoint} set ${set(endpoint, { holds: true })} where ${endpoint.id} = ${endpointId} and not ${endpoint.holds}`;

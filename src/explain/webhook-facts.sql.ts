import type { EventType } from '../domain/event-type.js';
import type { Tenant } from '../domain/tenant.js';
import { Event } from '../events/event.entity.js';
import { as } from '../platform/sql/as.js';
import { cte, define, subselect } from '../platform/sql/relation.js';
import { sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import { DeliveryAttempt } from '../webhooks/deliveries/delivery-attempt.entity.js';
import { Delivery } from '../webhooks/deliveries/delivery.entity.js';
import { WebhookEndpoint } from '../webhooks/endpoints/webhook-endpoint.entity.js';

const event = table(Event);
const delivery = table(Delivery);
const endpoint = table(WebhookEndpoint);
const attempt = table(DeliveryAttempt);

/** Which events of an intent to read: those of the first type, then the newest. */
interface EventChoice {
  readonly first: EventType;
  readonly limit: number;
}

/** Reads events of an intent, each with its deliveries by endpoint; only the newest series, since a replay begins a new one. */
export function findOwed(intentId: string, { merchantId, environment }: Tenant, { first, limit }: EventChoice) {
  const recent = cte(
    'recent',
    sql`select ${out(event, 'id', 'type', 'createdAt', 'sequence', 'position')}, ${event.type} = ${first} ${as.boolean('isFirst')}
          from ${event}
         where ${event.resourceId} = ${intentId} and ${event.merchantId} = ${merchantId} and ${event.environment} = ${environment}
         order by "isFirst" desc, ${event.position} desc limit ${limit}`,
  );
  const newestSeries = sql`
    select distinct on (${delivery.endpointId}) ${out(delivery, 'id', 'endpointId', 'status', 'attempts', 'dueAt', 'lastResponseStatus', 'lastErrorCode')}
      from ${delivery} where ${delivery.eventId} = ${recent.id} order by ${delivery.endpointId}, ${delivery.series} desc`;
  const owed = subselect('owed', newestSeries);
  return sql`
    with ${define(recent)}
    select ${recent.id.as('eventId')}, ${recent.type.as('eventType')}, ${recent.createdAt.as('eventCreatedAt')},
           ${recent.sequence} is not null ${as.boolean('isRelayed')},
           ${owed.id.asOrNull('id')}, ${owed.status.asOrNull('status')}, ${owed.attempts.asOrNull('attempts')},
           ${owed.dueAt.asOrNull('dueAt')}, ${endpoint.id.asOrNull('endpointId')}, ${endpoint.url.asOrNull('url')},
           ${endpoint.enabled.asOrNull('enabled')}, ${endpoint.deletedAt.asOrNull('deletedAt')},
           ${attempt.startedAt.asOrNull('lastAttemptAt')},
           coalesce(${attempt.responseStatus}, ${owed.lastResponseStatus}) ${as.intOrNull('lastStatus')},
           coalesce(${attempt.errorCode}, ${owed.lastErrorCode}) ${as.textOrNull('lastErrorCode')}
      from ${recent}
      left join lateral ${define(owed)} on true
      left join ${endpoint} on ${endpoint.id} = ${owed.endpointId}
      left join ${attempt} on ${attempt.deliveryId} = ${owed.id} and ${attempt.number} = ${owed.attempts}
     order by ${recent.isFirst} desc, ${recent.position} desc, ${owed.id}`;
}

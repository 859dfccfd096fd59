import { ApiKey } from '../../auth/api-key.entity.js';
import type { Environment } from '../../domain/network.js';
import { Event } from '../../events/event.entity.js';
import { IdempotencyRecord } from '../../idempotency/idempotency-record.entity.js';
import { Note } from '../../notes/note.entity.js';
import { PoolAddress } from '../../payments/addresses/pool-address.entity.js';
import { PaymentIntent } from '../../payments/intents/payment-intent.entity.js';
import { AuditEntry } from '../../platform/audit-entry.entity.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { DeliveryAttempt } from '../../webhooks/deliveries/delivery-attempt.entity.js';
import { LoggedRequest } from '../../request-log/logged-request.entity.js';
import { Delivery } from '../../webhooks/deliveries/delivery.entity.js';
import { WebhookEndpoint } from '../../webhooks/endpoints/webhook-endpoint.entity.js';

const intent = table(PaymentIntent, 'intent');
const key = table(ApiKey, 'key');
const record = table(IdempotencyRecord, 'record');
const address = table(PoolAddress, 'address');
const request = table(LoggedRequest, 'request');
const event = table(Event);
const delivery = table(Delivery);
const attempt = table(DeliveryAttempt, 'attempt');
const endpoint = table(WebhookEndpoint, 'endpoint');
const action = table(AuditEntry, 'action');
const note = table(Note);

/** Finds how an intent began: the call that created it, with its key, and when it got its address. */
export const findBeginning = (environment: Environment, id: string) => sql`
  select ${out(intent, 'merchantId', 'createdAt', 'requestId', 'apiKeyId', 'expiresAt')},
         ${out(intent, 'status', 'completedAt', 'updatedAt')},
         ${key.last4.asOrNull('keyLast4')}, ${address.address.asOrNull('address')}, ${address.assignedAt.asOrNull('assignedAt')}
    from ${intent}
    left join ${key} on ${key.id} = ${intent.apiKeyId}
    left join ${address} on ${address.intentId} = ${intent.id}
   where ${intent.id} = ${id} and ${intent.environment} = ${environment}`;

/** Finds the kept answer of the call that created an intent: it has the intent's time, by which kept answers are indexed. */
export const findCreation = (createdAt: string, requestId: string) => sql`
  select ${out(record, 'method', 'path', 'idempotencyKey', 'requestId', 'status', 'createdAt')} from ${record}
   where not (${record.path} = '/v1/withdrawals' and ${record.status} = 202)
     and ${record.createdAt} = ${createdAt} and ${record.requestId} = ${requestId}`;

/** Finds the kept answers of further calls of a merchant, by their paths. */
export const findCalls = (merchantId: string, environment: Environment, paths: readonly string[]) => sql`
  select ${out(record, 'method', 'path', 'idempotencyKey', 'requestId', 'status', 'createdAt')} from ${record}
   where ${record.merchantId} = ${merchantId} and ${record.environment} = ${environment} and ${record.method} = 'POST'
     and ${record.path} = any(${paths})
   order by ${record.createdAt} desc limit 50`;

const logged = sql`${request} left join ${key} on ${key.id} = ${request.apiKeyId}`;

/** Finds a request in the log. */
export const findLogged = (environment: Environment, requestId: string) => sql`
  select ${out(request, 'method', 'route', 'idempotencyKey', 'status', 'errorCode', 'apiKeyId', 'replayed', 'durationMs')},
         ${out(request, 'createdAt')}, ${request.id.as('requestId')}, ${key.last4.asOrNull('keyLast4')}
    from ${logged} where ${request.environment} = ${environment} and ${request.id} = ${requestId}`;

/** Finds the newest logged requests that named a resource, or repeated the one that made it. */
export const findLoggedOn = (environment: Environment, resourceId: string, limit: number) => sql`
  select ${out(request, 'method', 'route', 'idempotencyKey', 'status', 'errorCode', 'apiKeyId', 'replayed', 'durationMs')},
         ${out(request, 'createdAt')}, ${request.id.as('requestId')}, ${key.last4.asOrNull('keyLast4')}
    from ${logged}
   where ${request.resourceId} = ${resourceId} and (${request.replayed} or ${request.route} like '%/:id%')
     and ${request.environment} = ${environment}
   order by ${request.id} desc limit ${limit}`;

/** Reads the newest events of a resource. */
export const findEvents = (merchantId: string, environment: Environment, resourceId: string, limit: number) => sql`
  select ${out(event, 'id', 'type', 'createdAt')} from ${event}
   where ${event.resourceId} = ${resourceId} and ${event.merchantId} = ${merchantId} and ${event.environment} = ${environment}
   order by ${event.position} desc limit ${limit}`;

const attemptsOf = sql`
  select ${out(attempt, 'number', 'startedAt', 'durationMs', 'responseStatus', 'errorCode')} from ${attempt}
   where ${attempt.deliveryId} = ${delivery.id}`;
const tried = subselect('tried', attemptsOf);

/** Reads the newest attempts to deliver events, of every series. */
export const findAttempts = (eventIds: readonly string[], limit: number) => sql`
  select ${delivery.id.as('deliveryId')}, ${out(delivery, 'eventId', 'series', 'endpointId')}, ${out(endpoint, 'url')},
         ${tried.number.as('number')}, ${tried.startedAt.as('startedAt')}, ${tried.durationMs.as('durationMs')},
         ${tried.responseStatus.as('responseStatus')}, ${tried.errorCode.as('errorCode')}
    from ${delivery}
    join ${endpoint} on ${endpoint.id} = ${delivery.endpointId}
    cross join lateral ${define(tried)}
   where ${delivery.eventId} = any(${eventIds})
   order by ${tried.startedAt} desc limit ${limit}`;

/** Reads the newest actions of staff on subjects. */
export const findActions = (subjects: readonly string[], limit: number) => sql`
  select ${out(action, 'actor', 'action', 'subject', 'reason', 'createdAt')} from ${action}
   where ${action.subject} = any(${subjects}) order by ${action.id} desc limit ${limit}`;

/** Reads the newest notes on a subject. */
export const findNotesOn = (subjectId: string, limit: number) => sql`
  select ${out(note, 'id', 'author', 'body', 'createdAt')} from ${note}
   where ${note.subjectId} = ${subjectId} order by ${note.createdAt} desc, ${note.id} desc limit ${limit}`;

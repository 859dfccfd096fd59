import { Injectable } from '@nestjs/common';
import type { DeliveryStatus } from '../domain/delivery-status.js';
import { ALL_EVENT_TYPES, type EventType } from '../domain/event-type.js';
import type { Tenant } from '../domain/tenant.js';
import type { DeliveryFact, EndpointFact, IntentFacts } from './verdict/intent-verdict-facts.js';
import { shownUrl } from './shown-url.js';
import { type Tx, sql } from '../platform/database/database.js';

const COMPLETION: EventType = 'payment_intent.completed';

/** Maximum number of events; anybody can make more by paying in cents. The completion is always among them. */
const EVENTS_MAX = 50;

interface OwedRow {
  event_id: string;
  event_type: string;
  event_created_at: string;
  is_relayed: boolean;
  delivery: {
    id: string;
    status: DeliveryStatus;
    attempts: number;
    due_at: string;
  } | null;
  endpoint: { id: string; url: string; enabled: boolean; is_deleted: boolean } | null;
  last_attempt_at: string | null;
  last_status: number | null;
  last_error_code: string | null;
}

/** Reads the events of an intent, and whether they were delivered. */
@Injectable()
export class WebhookFactsReader {
  /** Deliveries of the completion come first, then those of the newest events. */
  async read(
    em: Tx,
    tenant: Tenant,
    intentId: string,
  ): Promise<Pick<IntentFacts, 'events' | 'deliveries' | 'endpoints'>> {
    const rows = await owedFor(em, tenant, intentId);
    const events = new Map(rows.map((row) => [row.event_id, eventFactOf(row)]));
    const hasCompleted = rows.some((row) => row.event_type === COMPLETION);
    return {
      events: [...events.values()],
      deliveries: rows.flatMap((row) => deliveryFactOf(row) ?? []),
      endpoints: hasCompleted ? await endpointsOf(em, tenant) : [],
    };
  }
}

/** Each event with its deliveries, by endpoint; only the newest series, since a replay begins a new one. */
function owedFor(em: Tx, tenant: Tenant, intentId: string): Promise<OwedRow[]> {
  return sql<OwedRow>(
    em,
    `with recent as (
       select id, type, created_at, sequence, position, type = $4 as is_completion from event
        where resource_id = $1 and merchant_id = $2 and environment = $3
        order by is_completion desc, position desc limit $5)
     select recent.id as event_id, recent.type as event_type, recent.created_at as event_created_at,
            recent.sequence is not null as is_relayed,
            case when owed.id is not null then jsonb_build_object(
              'id', owed.id, 'status', owed.status, 'attempts', owed.attempts, 'due_at', owed.due_at) end as delivery,
            case when endpoint.id is not null then jsonb_build_object('id', endpoint.id, 'url', endpoint.url,
              'enabled', endpoint.enabled, 'is_deleted', endpoint.deleted_at is not null) end as endpoint,
            attempt.started_at as last_attempt_at, attempt.response_status as last_status,
            attempt.error_code as last_error_code
       from recent
       left join lateral (
         select distinct on (endpoint_id) id, endpoint_id, status, attempts, due_at from delivery
          where event_id = recent.id order by endpoint_id, series desc) owed on true
       left join webhook_endpoint endpoint on endpoint.id = owed.endpoint_id
       left join delivery_attempt attempt on attempt.delivery_id = owed.id and attempt.number = owed.attempts
      order by recent.is_completion desc, recent.position desc, owed.id`,
    [intentId, tenant.merchantId, tenant.environment, COMPLETION, EVENTS_MAX],
  );
}

async function endpointsOf(em: Tx, tenant: Tenant): Promise<EndpointFact[]> {
  const rows = await sql<{ id: string; url: string; enabled: boolean }>(
    em,
    `select id, url, enabled from webhook_endpoint
      where merchant_id = $1 and environment = $2 and deleted_at is null and event_types && array[$3, $4]
      order by created_at, id`,
    [tenant.merchantId, tenant.environment, COMPLETION, ALL_EVENT_TYPES],
  );
  return rows.map(endpointFactOf);
}

function eventFactOf(row: OwedRow): IntentFacts['events'][number] {
  const { event_id: id, event_type: type, is_relayed: isRelayed } = row;
  return { id, type, isRelayed, createdAt: new Date(row.event_created_at) };
}

/** A delivery to a deleted endpoint is cancelled, although its row may still say otherwise. */
function deliveryFactOf(row: OwedRow): DeliveryFact | null {
  const { delivery, endpoint } = row;
  if (delivery === null || endpoint === null) return null;
  return {
    id: delivery.id,
    eventId: row.event_id,
    eventType: row.event_type,
    endpoint: endpointFactOf(endpoint),
    status: endpoint.is_deleted && delivery.status !== 'delivered' ? 'cancelled' : delivery.status,
    attempts: delivery.attempts,
    dueAt: new Date(delivery.due_at),
    lastAttemptAt: row.last_attempt_at === null ? null : new Date(row.last_attempt_at),
    lastStatus: row.last_status,
    lastErrorCode: row.last_error_code,
  };
}

function endpointFactOf({ id, url, enabled }: { id: string; url: string; enabled: boolean }): EndpointFact {
  return { id, url: shownUrl(url), isEnabled: enabled };
}

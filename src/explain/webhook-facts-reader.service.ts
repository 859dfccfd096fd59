import type { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { ALL_EVENT_TYPES, type EventType } from '../domain/event-type.js';
import type { Tenant } from '../domain/tenant.js';
import type { DeliveryFact, EndpointFact, IntentFacts } from './verdict/intent-verdict-facts.js';
import { shownUrl } from './shown-url.js';
import { CONFIG, type Config } from '../platform/config.js';
import { rows } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { WebhookEndpoint } from '../webhooks/endpoints/webhook-endpoint.entity.js';
import { findOwed } from './webhook-facts.sql.js';

const COMPLETION: EventType = 'payment_intent.completed';

/** Maximum number of events; anybody can make more by paying in cents. The completion is always among them. */
const EVENTS_MAX = 50;

type OwedRow = RowOf<typeof findOwed>;

/** Reads the events of an intent, and whether they were delivered. */
@Injectable()
export class WebhookFactsReader {
  constructor(@Inject(CONFIG) private readonly config: { readonly webhooks: Pick<Config['webhooks'], 'timeoutMs'> }) {}

  /** Deliveries of the completion come first, then those of the newest events. */
  async read(
    em: EntityManager,
    tenant: Tenant,
    intentId: string,
  ): Promise<Pick<IntentFacts, 'events' | 'deliveries' | 'endpoints' | 'attemptTimeoutMs'>> {
    const owed = await rows(em, findOwed(intentId, tenant, { first: COMPLETION, limit: EVENTS_MAX }));
    const events = new Map(owed.map((row) => [row.eventId, eventFactOf(row)]));
    const hasCompleted = owed.some((row) => row.eventType === COMPLETION);
    return {
      events: [...events.values()],
      deliveries: owed.flatMap((row) => deliveryFactOf(row) ?? []),
      endpoints: hasCompleted ? await endpointsOf(em, tenant) : [],
      attemptTimeoutMs: this.config.webhooks.timeoutMs,
    };
  }
}

/** Returns the endpoints of a tenant that are subscribed to completions, the oldest first. */
async function endpointsOf(em: EntityManager, { merchantId, environment }: Tenant): Promise<EndpointFact[]> {
  const found = await em.find(
    WebhookEndpoint,
    { merchantId, environment, deletedAt: null, eventTypes: { $overlap: [COMPLETION, ALL_EVENT_TYPES] } },
    { fields: ['url', 'enabled'], orderBy: { createdAt: 'asc', id: 'asc' }, disableIdentityMap: true },
  );
  return found.map(endpointFactOf);
}

function eventFactOf({
  eventId: id,
  eventType: type,
  isRelayed,
  eventCreatedAt,
}: OwedRow): IntentFacts['events'][number] {
  return { id, type, isRelayed, createdAt: new Date(eventCreatedAt) };
}

/** A delivery to a deleted endpoint is cancelled, although its row may still say otherwise. */
function deliveryFactOf(row: OwedRow): DeliveryFact | null {
  const { id, status, attempts, dueAt, endpointId, url, enabled } = row;
  if (id === null || status === null || attempts === null || dueAt === null) return null;
  if (endpointId === null || url === null || enabled === null) return null;
  return {
    id,
    eventId: row.eventId,
    eventType: row.eventType,
    endpoint: endpointFactOf({ id: endpointId, url, enabled }),
    status: row.deletedAt !== null && status !== 'delivered' ? 'cancelled' : status,
    attempts,
    dueAt: new Date(dueAt),
    lastAttemptAt: row.lastAttemptAt === null ? null : new Date(row.lastAttemptAt),
    lastStatus: row.lastStatus,
    lastErrorCode: row.lastErrorCode,
  };
}

function endpointFactOf({ id, url, enabled }: { id: string; url: string; enabled: boolean }): EndpointFact {
  return { id, url: shownUrl(url), isEnabled: enabled };
}

import { ATTEMPTS_MAX } from '../../domain/webhook-retry-schedule.js';
import type { EventType } from '../../domain/event-type.js';
import type { DeliveryFact, EndpointFact, EventFact, IntentFacts } from './intent-verdict-facts.js';
import type { Finding } from './intent-verdict-finding.js';
import { betweenText, countText, listText } from './intent-verdict-wording.js';

/** Sending takes milliseconds: a delivery that has waited this long is delayed. */
const DELAYED_AFTER_MS = 60_000;

const COMPLETION: EventType = 'payment_intent.completed';

/** Finds webhooks of the intent that were not delivered, and why. */
export function webhookFindings(facts: IntentFacts): Finding[] {
  const waiting = facts.deliveries.filter(({ status }) => status === 'pending' || status === 'held');
  const sendable = waiting.filter(({ endpoint }) => endpoint.isEnabled);
  return [
    ...dead(facts.deliveries.filter(({ status }) => status === 'dead_letter')),
    ...paused(waiting.filter(({ endpoint }) => !endpoint.isEnabled)),
    ...refused(
      facts,
      sendable.filter(({ attempts }) => attempts > 0),
    ),
    ...delayed(
      facts,
      sendable.filter(({ attempts }) => attempts === 0),
    ),
    ...notSubscribed(facts),
  ];
}

function dead(deliveries: readonly DeliveryFact[]): Finding[] {
  const [first] = deliveries;
  if (first === undefined) return [];
  return [
    {
      code: 'webhook_dead_lettered',
      sentence:
        `${first.eventType} was sent to ${first.endpoint.url} ${countText(first.attempts, 'time')} and never ` +
        `acknowledged: the last attempt ${outcomeText(first)}, and none follows${othersText(deliveries)}.`,
      nextAction:
        `Repair the endpoint (GET /v1/deliveries/${first.id} shows what it answered), then POST ` +
        `/v1/deliveries/${first.id}/retry. Until then read what happened from GET /v1/events/${first.eventId}.`,
      evidence: { deliveries },
    },
  ];
}

function paused(deliveries: readonly DeliveryFact[]): Finding[] {
  const [first] = deliveries;
  if (first === undefined) return [];
  return [
    {
      code: 'webhook_endpoint_disabled',
      sentence: `${first.eventType} waits: the endpoint ${first.endpoint.url} is disabled${othersText(deliveries)}.`,
      nextAction: `Enable it with PATCH /v1/webhook-endpoints/${first.endpoint.id}: what waits is sent then.`,
      evidence: { deliveries },
    },
  ];
}

function refused({ now, attemptTimeoutMs }: IntentFacts, deliveries: readonly DeliveryFact[]): Finding[] {
  const [first] = deliveries;
  if (first === undefined) return [];
  const next = first.dueAt > now ? `follows in ${betweenText(first.dueAt, now)}` : 'is due';
  return [
    {
      code: 'webhook_not_acknowledged',
      sentence:
        `${first.eventType} is not acknowledged by ${first.endpoint.url} yet: attempt ${first.attempts} of ` +
        `${ATTEMPTS_MAX} ${outcomeText(first)}, and the next one ${next}${othersText(deliveries)}.`,
      nextAction:
        `Let the endpoint answer 2xx within ${countText(attemptTimeoutMs / 1000, 'second')}. Until then read what happened ` +
        `from GET /v1/events/${first.eventId}.`,
      evidence: { deliveries },
    },
  ];
}

function delayed({ now, events }: IntentFacts, untried: readonly DeliveryFact[]): Finding[] {
  const isOverdue = (since: Date): boolean => now.getTime() - since.getTime() > DELAYED_AFTER_MS;
  const deliveries = untried.filter(({ dueAt }) => isOverdue(dueAt));
  const unnumbered = events.filter(({ isRelayed, createdAt }) => !isRelayed && isOverdue(createdAt));
  const [delivery] = deliveries;
  const [event] = unnumbered;
  const waits = event ?? (delivery && { type: delivery.eventType, createdAt: delivery.dueAt });
  if (waits === undefined) return [];
  return [
    {
      code: 'webhook_delayed',
      sentence: `${waits.type} has waited ${betweenText(now, waits.createdAt)} to be sent, which takes a moment at most times.`,
      nextAction:
        'Look at this intent instead of waiting for the webhook. If an endpoint of yours is slow or failing, what is ' +
        'owed to it waits in line; otherwise ask the operator whether the workers run.',
      evidence: {
        since: waits.createdAt,
        ...(deliveries.length > 0 && { deliveries }),
        ...(unnumbered.length > 0 && { events: unnumbered }),
      },
    },
  ];
}

/** Only for a completion: merchants choose the other events. */
function notSubscribed({ events, deliveries, endpoints }: IntentFacts): Finding[] {
  const event = events.find(({ type, isRelayed }) => type === COMPLETION && isRelayed);
  if (event === undefined) return [];
  if (deliveries.some(({ eventId, status }) => eventId === event.id && status !== 'cancelled')) return [];
  const disabled = endpoints.filter(({ isEnabled }) => !isEnabled);
  return [disabled.length > 0 ? onlyDisabled(event, disabled) : noEndpoint(event)];
}

function onlyDisabled(event: EventFact, endpoints: readonly EndpointFact[]): Finding {
  const urls = listText(endpoints.map(({ url }) => url));
  return {
    code: 'webhook_endpoint_disabled',
    sentence: `No endpoint received the completion of the intent; disabled: ${urls}.`,
    nextAction: `Enable an endpoint for what comes; read this event from GET /v1/events/${event.id}.`,
    evidence: { endpoints, events: [event] },
  };
}

function noEndpoint(event: EventFact): Finding {
  return {
    code: 'no_webhook_endpoint',
    sentence: 'No webhook was sent when the intent completed: no endpoint asked for it at that time.',
    nextAction: `Create one with POST /v1/webhook-endpoints if you do not poll; read this event from GET /v1/events/${event.id}.`,
    evidence: { events: [event] },
  };
}

function outcomeText({ lastStatus, lastErrorCode }: DeliveryFact): string {
  return lastStatus === null ? `got no answer (${lastErrorCode ?? 'unknown'})` : `was answered ${lastStatus}`;
}

function othersText(deliveries: readonly DeliveryFact[]): string {
  const more = deliveries.length - 1;
  return more === 0 ? '' : `. The same applies to ${more} more ${more === 1 ? 'delivery' : 'deliveries'}`;
}

import type { DeliveryStatus } from '../../domain/delivery-status.js';
import type { ReplayFilter } from '../../webhooks/replays/replay-filter.js';
import type { ReplayVerb } from '../../webhooks/replays/replay-verb.js';

const VERBS: Readonly<Record<ReplayVerb, string>> = {
  resend: 'Resend',
  recover: 'Recover',
  send_missing: 'Send',
};

const NOUNS: Readonly<Record<DeliveryStatus, string>> = {
  pending: 'waiting deliveries',
  delivered: 'delivered events',
  dead_letter: 'dead letters',
  held: 'held deliveries',
  cancelled: 'cancelled deliveries',
};

/** A replay as staff ordered it, with the names of what its filter names by id. */
export interface OrderedReplay {
  readonly verb: ReplayVerb;
  readonly filter: ReplayFilter;
  /** Null when the filter names none. */
  readonly endpointUrl: string | null;
  readonly merchantName: string | null;
}

/** Returns a replay as a sentence: `Recover dead letters of shop.example/hook since 24 Nov 2026, 09:14 UTC`. */
export function replayTitle({ verb, filter, endpointUrl, merchantName }: OrderedReplay): string {
  const {
    delivery_ids: ids,
    response,
    event_type: type,
    event_id: event,
    created_gte: from,
    created_lt: until,
  } = filter;
  if (ids !== undefined) {
    return `${VERBS[verb]} ${ids.length === 1 ? 'one delivery' : `${ids.length} selected deliveries`}`;
  }
  const parts = [
    VERBS[verb],
    nounOf(verb, filter),
    ...(type === undefined ? [] : [`with ${type}`]),
    ...(response === undefined ? [] : [response === 'none' ? 'without an answer' : `answered ${response}`]),
    ...(event === undefined ? [] : [`of ${event}`]),
    ...(endpointUrl === null ? [] : [`${verb === 'send_missing' ? 'to' : 'of'} ${placeOf(endpointUrl)}`]),
    ...(merchantName === null ? [] : [`of ${merchantName}`]),
    ...(from === undefined ? [] : [`since ${minuteText(from)}`]),
    ...(until === undefined ? [] : [`before ${minuteText(until)}`]),
  ];
  return parts.join(' ');
}

function nounOf(verb: ReplayVerb, { status }: ReplayFilter): string {
  if (verb === 'send_missing') return 'missing events';
  return status === undefined ? 'deliveries' : NOUNS[status];
}

/** Host and path: one host may have several endpoints. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return pathname === '/' ? host : `${host}${pathname}`;
}

const MINUTES = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

const minuteText = (at: string): string => `${MINUTES.format(new Date(at))} UTC`;

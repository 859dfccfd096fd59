import type { EventType } from '../domain/event-type.js';
import type { Environment } from '../domain/network.js';

/** Version of the API whose objects events carry; the prefix of every path (spec 9). */
export const API_VERSION = 'v1';

/** What an event's body is made of. */
export interface EnvelopeParts {
  readonly id: string;
  readonly type: EventType;
  readonly environment: Environment;
  readonly sequence: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly createdAt: string;
  /** The resource as JSON text, as it was when the event was recorded. */
  readonly data: string;
}

/**
 * The body of an event: the envelope of spec 2.4 with the additions of api.md 4. `data` is spliced in as it is: parsing
 * it and writing it anew could change numbers and the order of keys, and what was recorded is what is told.
 */
export function envelopeText({ id, type, environment, sequence, createdAt, data }: EnvelopeParts): string {
  const head = JSON.stringify({
    id,
    object: 'event',
    type,
    event_type: type,
    created_at: createdAt,
    environment,
    sequence,
    api_version: API_VERSION,
  });
  return `${head.slice(0, -1)},"data":${data}}`;
}

/** The same envelope, read: what `GET /v1/events` shows is what was delivered. */
export interface EventBody {
  readonly id: string;
  readonly object: 'event';
  readonly type: EventType;
  readonly event_type: EventType;
  readonly created_at: string;
  readonly environment: Environment;
  readonly sequence: number;
  readonly api_version: typeof API_VERSION;
  readonly data: Readonly<Record<string, unknown>>;
}

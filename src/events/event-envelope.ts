import type { EventType } from '../domain/event-type.js';
import type { Environment } from '../domain/network.js';

/** Version of the API whose objects events carry; the prefix of every path. */
export const API_VERSION = 'v1';

/** The parts of an event's body. */
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
 * Returns the body of an event as JSON text. `data` is inserted as recorded, because parsing and serializing it again could
 * change numbers and the order of keys.
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

/** The parsed body of an event. `GET /v1/events` shows exactly what is delivered. */
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

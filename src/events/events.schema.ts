import { z } from 'zod';
import { EVENT_TYPES } from '../domain/event-type.js';
import { ENVIRONMENTS } from '../domain/network.js';
import { LIST_QUERY, listPageSchema } from '../http/pagination.js';
import { queryOf, timestampText } from '../http/request-schema.js';
import { API_VERSION, type EventBody } from './event-envelope.js';

/** Returns the schema of an event's body; `type` narrows it to the events that carry this `data`. */
export function eventSchemaOf<Type extends z.ZodType<string>, Data extends z.ZodType>(type: Type, data: Data) {
  return z.strictObject({
    id: z.string().meta({ description: '`evt_...`; the same on every attempt and replay: drop what you have seen.' }),
    object: z.literal('event').meta({ description: 'Always `event`.' }),
    type: type.meta({ description: 'What happened. New values may be added.' }),
    event_type: type.meta({ description: 'The same as `type`. New values may be added.' }),
    created_at: z.iso.datetime({ precision: 3 }).meta({ description: 'When it happened, ISO 8601 in UTC.' }),
    environment: z.enum(ENVIRONMENTS).meta({ description: 'Environment in which it happened.' }),
    sequence: z.int().min(1).meta({ description: 'Position among all events of the merchant, without gaps.' }),
    api_version: z
      .literal(API_VERSION)
      .meta({ description: 'Version of the API that defines `data`, as in the prefix of its paths.' }),
    data: data.meta({ description: 'The resource as it was at the time of the event.' }),
  });
}

/** Any event, as `GET /v1/events` shows it: exactly the body that is delivered. */
export const eventSchema = eventSchemaOf(z.enum(EVENT_TYPES), z.record(z.string(), z.unknown())).meta({ id: 'Event' });

export const eventListSchema = listPageSchema(eventSchema, 'EventList');

/** The query of `GET /v1/events`. */
export const eventListQuery = queryOf({
  ...LIST_QUERY,
  event_type: z.enum(EVENT_TYPES).optional().meta({ description: 'Only events of this type.' }),
  created_gte: timestampText().optional().meta({ description: 'Created at this moment or later.' }),
  created_lt: timestampText().optional().meta({ description: 'Created before this moment.' }),
  after_sequence: z.int().min(0).optional().meta({
    description:
      'Only events with a greater `sequence`, in ascending order. `starting_after` then continues above the greater of both.',
  }),
});
export type EventListQuery = z.infer<typeof eventListQuery>;

/** The example of the documentation: a test of an endpoint. */
export const eventExample: EventBody = {
  id: 'evt_01jd2v8w3q4r5s6t7v8w9x0y1z',
  object: 'event',
  type: 'ping',
  event_type: 'ping',
  created_at: '2026-01-31T12:00:00.000Z',
  environment: 'sandbox',
  sequence: 42,
  api_version: API_VERSION,
  data: { id: 'we_01jd2v8w3q4r5s6t7v8w9x0y1z', object: 'webhook_endpoint' },
};

import { z } from 'zod';
import { ALL_EVENT_TYPES, DEFAULT_EVENT_TYPES, EVENT_TYPES } from '../../domain/event-type.js';
import { ENVIRONMENTS } from '../../domain/network.js';
import { LIST_QUERY, listPageSchema } from '../../http/pagination.js';
import { bodyOf, queryOf, safeText } from '../../http/request-schema.js';
import { DEAD_LETTERS_SHOWN_MAX } from './dead-letters.js';

const OVERLAP_SECONDS_MAX = 86_400;

const NOT_OWED =
  'Moments after an event happens, the service chooses the enabled endpoints that receive it. An endpoint for which this is ' +
  'false at that moment is left out, and enabling it later does not send the event; fetch it with GET /v1/events.';

const url = safeText({ min: 1, max: 2048 }).meta({
  description: 'https (http in the sandbox too) on port 80, 443 or 1024 to 65535, without credentials; not private.',
  examples: ['https://example.com/webhooks'],
});
const description = safeText({ max: 255 }).meta({ description: 'Your own note. An empty string clears it.' });
const eventTypes = z
  .array(z.enum([...EVENT_TYPES, ALL_EVENT_TYPES]))
  .min(1)
  .refine((types) => new Set(types).size === types.length, { error: 'must not name a type twice' })
  .refine((types) => types.length === 1 || !types.includes(ALL_EVENT_TYPES), {
    error: 'must not name other types beside *',
  })
  .meta({ description: 'Types of events to send; `["*"]` is all of them, also types added later.' });

/** Body of POST /v1/webhook-endpoints. */
export const createWebhookEndpointBody = bodyOf({
  url,
  description: description.optional(),
  event_types: eventTypes.default([...DEFAULT_EVENT_TYPES]),
  enabled: z
    .boolean()
    .default(true)
    .meta({ description: `False to register the endpoint without sending to it yet. ${NOT_OWED}` }),
}).meta({ id: 'CreateWebhookEndpoint' });
export type CreateWebhookEndpointBody = z.infer<typeof createWebhookEndpointBody>;

/** Body of PATCH /v1/webhook-endpoints/:id: what is left out stays. */
export const updateWebhookEndpointBody = bodyOf({
  url: url.optional(),
  description: description.optional(),
  event_types: eventTypes.optional(),
  enabled: z
    .boolean()
    .optional()
    .meta({
      description:
        'False to hold back the deliveries that exist, true to send them and to clear the record of failures. ' +
        NOT_OWED,
    }),
}).meta({ id: 'UpdateWebhookEndpoint' });
export type UpdateWebhookEndpointBody = z.infer<typeof updateWebhookEndpointBody>;

/** Body of POST /v1/webhook-endpoints/:id/rotate-secret. */
export const rotateSecretBody = bodyOf({
  overlap_seconds: z
    .int()
    .min(0)
    .max(OVERLAP_SECONDS_MAX)
    .default(0)
    .meta({ description: 'How long the old secret signs beside the new one.' }),
}).meta({ id: 'RotateWebhookSecret' });
export type RotateSecretBody = z.infer<typeof rotateSecretBody>;

/** Query of GET /v1/webhook-endpoints. */
export const listWebhookEndpointsQuery = queryOf(LIST_QUERY);
export type ListWebhookEndpointsQuery = z.infer<typeof listWebhookEndpointsQuery>;

const timestamp = z.iso.datetime({ precision: 3 });

const endpointFields = {
  id: z.string().meta({ description: 'Identifier of the endpoint, `we_...`. Opaque.' }),
  object: z.literal('webhook_endpoint').meta({ description: 'Always `webhook_endpoint`.' }),
  environment: z.enum(ENVIRONMENTS).meta({ description: 'Environment whose events the endpoint receives.' }),
  url: z.string().meta({ description: 'Where events are sent by POST.' }),
  description: z.string().nullable().meta({ description: 'Your own note; null when there is none.' }),
  event_types: z
    .array(z.string())
    .meta({ description: 'Types of events that are sent; `["*"]` is all of them, also types added later.' }),
  enabled: z.boolean().meta({
    description: `Whether events are sent. While it is false, the deliveries that exist wait. ${NOT_OWED}`,
  }),
  disabled_reason: z
    .literal('failing')
    .nullable()
    .meta({
      description:
        'Why the service disabled the endpoint; else null. `failing`: 5 days with nothing but failures. New ' +
        'values may be added.',
    }),
  previous_secret_expires_at: timestamp
    .nullable()
    .meta({ description: 'Until then the secret before the last rotation signs too, after the new one.' }),
  last_success_at: timestamp
    .nullable()
    .meta({ description: 'When a delivery was last acknowledged, to the minute; null when none was yet.' }),
  failing_since: timestamp
    .nullable()
    .meta({ description: 'The first failed attempt since the last acknowledged one; null when none failed since.' }),
  dead_letters: z.int().min(0).max(DEAD_LETTERS_SHOWN_MAX).meta({
    description: 'Dead-lettered deliveries that were not retried or recovered yet. 10,000 means 10,000 or more.',
  }),
  created_at: timestamp.meta({ description: 'When the endpoint was created, ISO 8601 in UTC.' }),
  updated_at: timestamp.meta({ description: 'When the endpoint last changed, ISO 8601 in UTC.' }),
};

/** A webhook endpoint. */
export const webhookEndpointSchema = z.strictObject(endpointFields).meta({ id: 'WebhookEndpoint' });

/** A webhook endpoint with its new secret: the answer to creation and rotation. */
export const webhookEndpointWithSecretSchema = z
  .strictObject({
    ...endpointFields,
    secret: z
      .string()
      .meta({ description: 'Shown now and never again. The whole string, `whsec_` included, is the key.' }),
  })
  .meta({ id: 'WebhookEndpointWithSecret' });

export const webhookEndpointListSchema = listPageSchema(webhookEndpointSchema, 'WebhookEndpointList');

/** The answer to DELETE. */
export const deletedWebhookEndpointSchema = z
  .strictObject({
    id: endpointFields.id,
    object: endpointFields.object,
    deleted: z.literal(true).meta({ description: 'Always true. Nothing more is sent to the endpoint.' }),
  })
  .meta({ id: 'DeletedWebhookEndpoint' });

/** The answer to a test request. */
export const webhookTestSchema = z
  .strictObject({
    object: z.literal('webhook_test').meta({ description: 'Always `webhook_test`.' }),
    event_id: z.string().meta({ description: 'The `ping` that is sent, `evt_...`.' }),
    webhook_endpoint_id: z.string().meta({ description: 'The endpoint that is tested, `we_...`.' }),
  })
  .meta({ id: 'WebhookTest' });
export type WebhookTest = z.infer<typeof webhookTestSchema>;

import { z } from 'zod';
import { ALL_EVENT_TYPES, DEFAULT_EVENT_TYPES, EVENT_TYPES } from '../domain/event-type.js';
import { ENVIRONMENTS } from '../domain/network.js';
import { LIST_QUERY, listPageSchema } from '../http/pagination.js';
import { bodyOf, queryOf, safeText } from '../http/request-schema.js';

const OVERLAP_SECONDS_MAX = 86_400;

const url = safeText({ min: 1, max: 2048 }).meta({
  description: 'https (http in the sandbox too) on port 80, 443 or 1024 to 65535, without credentials; not private.',
  examples: ['https://example.com/webhooks'],
});
const description = safeText({ max: 255 }).nullable().meta({ description: 'Your own note.' });
const eventTypes = z
  .array(z.enum([...EVENT_TYPES, ALL_EVENT_TYPES]))
  .min(1)
  .refine((types) => new Set(types).size === types.length, { error: 'must not name a type twice' })
  .refine((types) => types.length === 1 || !types.includes(ALL_EVENT_TYPES), {
    error: 'must not name other types beside *',
  })
  .meta({ description: 'What the endpoint is told; `["*"]` is everything, also what comes later.' });

/** Body of POST /v1/webhook-endpoints. */
export const createWebhookEndpointBody = bodyOf({
  url,
  description: description.optional(),
  event_types: eventTypes.default([...DEFAULT_EVENT_TYPES]),
  enabled: z.boolean().default(true),
}).meta({ id: 'CreateWebhookEndpoint' });
export type CreateWebhookEndpointBody = z.infer<typeof createWebhookEndpointBody>;

/** Body of PATCH /v1/webhook-endpoints/:id: what is left out stays. */
export const updateWebhookEndpointBody = bodyOf({
  url: url.optional(),
  description: description.optional(),
  event_types: eventTypes.optional(),
  enabled: z.boolean().optional().meta({ description: 'Enabling clears the record of failures.' }),
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
  id: z.string(),
  object: z.literal('webhook_endpoint'),
  environment: z.enum(ENVIRONMENTS),
  url: z.string(),
  description: z.string().nullable(),
  event_types: z.array(z.string()),
  enabled: z.boolean(),
  disabled_reason: z
    .literal('failing')
    .nullable()
    .meta({ description: 'Set when the service disabled it, after 5 days with nothing but failures.' }),
  previous_secret_expires_at: timestamp
    .nullable()
    .meta({ description: 'Until then the secret before the last rotation signs too, after the new one.' }),
  created_at: timestamp,
  updated_at: timestamp,
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
  .strictObject({ id: z.string(), object: z.literal('webhook_endpoint'), deleted: z.literal(true) })
  .meta({ id: 'DeletedWebhookEndpoint' });

/** The answer to a test: the `ping` is on its way like any other event. */
export const webhookTestSchema = z
  .strictObject({ object: z.literal('webhook_test'), event_id: z.string(), webhook_endpoint_id: z.string() })
  .meta({ id: 'WebhookTest' });
export type WebhookTest = z.infer<typeof webhookTestSchema>;

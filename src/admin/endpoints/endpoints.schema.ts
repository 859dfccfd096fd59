import { z } from 'zod';
import { LIST_QUERY, listPageSchema } from '../../http/pagination.js';
import { bodyOf, queryOf, safeText } from '../../http/request-schema.js';
import { id, timestamp } from '../deliveries/deliveries.schema.js';

export const listEndpointsQuery = queryOf({
  ...LIST_QUERY,
  merchant_id: id.optional().meta({ description: 'Only of this merchant.' }),
  enabled: z.boolean().optional().meta({ description: 'Only enabled ones, or only disabled ones.' }),
});
export type ListEndpointsQuery = z.infer<typeof listEndpointsQuery>;

const endpointFields = {
  id: z.string(),
  object: z.literal('webhook_endpoint'),
  merchant_id: z.string(),
  merchant_name: z.string(),
  url: z.string(),
  description: z.string().nullable(),
  event_types: z.array(z.string()),
  enabled: z.boolean(),
  disabled_reason: z.literal('failing').nullable(),
  failing_since: timestamp.nullable(),
  last_success_at: timestamp.nullable(),
  dead_letters: z.int().meta({ description: 'Not superseded; counted to 10,000.' }),
  previous_secret_expires_at: timestamp.nullable(),
  created_at: timestamp,
};
const endpointSchema = z.object(endpointFields).meta({ id: 'Endpoint' });
export type EndpointObject = z.infer<typeof endpointSchema>;
export const endpointListSchema = listPageSchema(endpointSchema, 'EndpointList');
export const endpointDetailSchema = z
  .object({
    ...endpointFields,
    last_24_hours: z
      .object({ delivered: z.int(), dead_lettered: z.int(), retrying: z.int() })
      .meta({ description: 'Deliveries created since then, each counted to 10,000.' }),
    dead_since: timestamp
      .nullable()
      .meta({ description: 'When the oldest dead letter that was not sent again was created.' }),
  })
  .meta({ id: 'EndpointDetail' });
export type EndpointDetail = z.infer<typeof endpointDetailSchema>;

export const endpointReasonBody = bodyOf({
  reason: safeText({ min: 1, max: 500 }).meta({ description: 'Why, for the audit log.' }),
}).meta({ id: 'EndpointReason' });
export type EndpointReasonBody = z.infer<typeof endpointReasonBody>;
export const rotateEndpointBody = bodyOf({
  reason: safeText({ min: 1, max: 500 }).meta({ description: 'Why, for the audit log.' }),
  overlap_seconds: z
    .int()
    .min(0)
    .max(86_400)
    .default(86_400)
    .meta({ description: 'How long the old secret signs beside the new one.' }),
}).meta({ id: 'RotateEndpointSecret' });
export type RotateEndpointBody = z.infer<typeof rotateEndpointBody>;
export const rotatedSchema = z
  .object({
    object: z.literal('rotated_secret'),
    endpoint_id: z.string(),
    secret: z.string().meta({ description: 'Shown here only. Hand it to the merchant over a safe way.' }),
    previous_secret_expires_at: timestamp.nullable(),
  })
  .meta({ id: 'RotatedSecret' });
export type RotatedSecret = z.infer<typeof rotatedSchema>;
export const testedSchema = z
  .object({ object: z.literal('endpoint_test'), event_id: z.string(), endpoint_id: z.string() })
  .meta({ id: 'EndpointTest' });
export type EndpointTest = z.infer<typeof testedSchema>;

export const checkSignatureBody = bodyOf({
  header: safeText({ min: 0, max: 2_000 }).meta({ description: 'The value of X-Webhook-Signature.' }),
  body: safeText({ min: 0, max: 100_000 }).meta({ description: 'The body that the receiver has verified.' }),
}).meta({ id: 'CheckSignature' });
export type CheckSignatureBody = z.infer<typeof checkSignatureBody>;
export const signatureVerdictSchema = z
  .object({
    object: z.literal('signature_check'),
    valid: z.boolean(),
    steps: z.array(z.object({ step: z.enum(['format', 'timestamp', 'signature']), ok: z.boolean(), text: z.string() })),
  })
  .meta({ id: 'SignatureCheck' });
export type SignatureVerdictObject = z.infer<typeof signatureVerdictSchema>;

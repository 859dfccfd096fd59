import { z } from 'zod';
import { DELIVERY_FAULTS } from '../../domain/delivery-cause.js';
import { DELIVERY_STATUSES } from '../../domain/delivery-status.js';
import { EVENT_TYPES } from '../../domain/event-type.js';
import { ENVIRONMENTS } from '../../domain/network.js';
import { LIST_QUERY, listPageSchema } from '../../http/pagination.js';
import { bodyOf, queryOf, safeText, timestampText } from '../../http/request-schema.js';
import { deliveryAttemptSchema } from '../../webhooks/deliveries/delivery.schema.js';
import { RESPONSE_CLASSES } from '../../webhooks/overview/delivery-filter.js';

export const id = safeText({ min: 1, max: 64 });
export const timestamp = z.iso.datetime({ precision: 3 });
const environmentSchema = z.enum(ENVIRONMENTS);

const FILTER = {
  status: z.enum(DELIVERY_STATUSES).optional().meta({ description: 'Only deliveries in this status.' }),
  merchant_id: id.optional().meta({ description: 'Only of this merchant.' }),
  endpoint_id: id.optional().meta({ description: 'Only to this endpoint, a deleted one too.' }),
  event_id: id.optional().meta({ description: 'Only of this event.' }),
  event_type: z.enum(EVENT_TYPES).optional().meta({ description: 'Only events of this type.' }),
  response: z
    .enum(RESPONSE_CLASSES)
    .optional()
    .meta({ description: 'The class of the latest answer; `none` when there was no complete one.' }),
  created_gte: timestampText().optional().meta({ description: 'Created at this moment or later.' }),
  created_lt: timestampText().optional().meta({ description: 'Created before this moment.' }),
};

export const listDeliveriesQuery = queryOf({ ...LIST_QUERY, ...FILTER });
export type ListDeliveriesQuery = z.infer<typeof listDeliveriesQuery>;
export const exportDeliveriesQuery = queryOf(FILTER);
export type ExportDeliveriesQuery = z.infer<typeof exportDeliveriesQuery>;

const CAUSES_MAX = 500;
const CAUSES_AT_FIRST = 25;

export const listDeadLettersQuery = queryOf({
  limit: z
    .int()
    .min(1)
    .max(CAUSES_MAX)
    .default(CAUSES_AT_FIRST)
    .meta({ description: 'Maximum number of groups. There is no cursor: ask for more groups instead.' }),
});
export type ListDeadLettersQuery = z.infer<typeof listDeadLettersQuery>;

const deliveryFields = {
  id: z.string(),
  object: z.literal('delivery'),
  environment: environmentSchema,
  merchant_id: z.string(),
  merchant_name: z.string(),
  endpoint_id: z.string(),
  endpoint_url: z.string(),
  endpoint_enabled: z.boolean(),
  endpoint_deleted: z.boolean(),
  event_id: z.string(),
  event_type: z.enum(EVENT_TYPES),
  resource_id: z.string().meta({ description: 'The object of the event, such as a payment intent.' }),
  status: z.enum(DELIVERY_STATUSES),
  series: z.int(),
  superseded: z.boolean(),
  attempt_count: z.int(),
  last_response_status: z.int().nullable(),
  last_fault: z.enum(DELIVERY_FAULTS).nullable(),
  last_cause: z.string().nullable().meta({ description: 'The same in a few words; null after a success.' }),
  next_attempt_at: timestamp.nullable(),
  replay_job_id: z.string().nullable(),
  created_at: timestamp,
  finished_at: timestamp.nullable(),
};
const deliverySchema = z.object(deliveryFields).meta({ id: 'Delivery' });
export type DeliveryObject = z.infer<typeof deliverySchema>;
export const deliveryListSchema = listPageSchema(deliverySchema, 'DeliveryList');

const seriesSchema = z.object({
  delivery_id: z.string(),
  number: z.int(),
  status: z.enum(DELIVERY_STATUSES),
  attempt_count: z.int().meta({ description: 'Attempts that were made, also those that are no longer kept.' }),
  created_at: timestamp,
  next_attempt_at: timestamp.nullable(),
  replay_job_id: z.string().nullable(),
  requested_by: z
    .string()
    .nullable()
    .meta({ description: 'The member of staff who sent it again; null for the service.' }),
  attempts: z.array(
    deliveryAttemptSchema.extend({
      signed_at: z.int().meta({ description: 'The `t` of the signature, in Unix seconds. The signature is not kept.' }),
      cause: z
        .string()
        .nullable()
        .meta({
          description: 'Why it failed, in words; null when the receiver acknowledged it.',
          examples: ['401: probably a wrong secret'],
        }),
      answer_pruned: z.boolean().meta({ description: 'There was an answer, and only its status is still kept.' }),
    }),
  ),
});
export const deliveryDetailSchema = z
  .object({
    ...deliveryFields,
    body: z.string().nullable().meta({ description: 'The event, byte for byte as every attempt sends it.' }),
    request_headers: z.record(z.string(), z.string().nullable()).meta({
      description:
        'What every attempt sends beside the body; null for the signature, which is not kept and never shown.',
    }),
    all_series: z.array(seriesSchema).meta({ description: 'Every series of attempts, the newest first.' }),
  })
  .meta({ id: 'DeliveryDetail' });
export type DeliveryDetail = z.infer<typeof deliveryDetailSchema>;

const reason = safeText({ min: 1, max: 500 }).optional().meta({ description: 'Why, for the audit log.' });
export const resendBody = bodyOf({ reason }).meta({ id: 'ResendDelivery' });
export type ResendBody = z.infer<typeof resendBody>;
export const resentSchema = z
  .object({ object: z.literal('resent_delivery'), delivery_id: z.string(), replay_job_id: z.string() })
  .meta({ id: 'ResentDelivery' });

const deadLetterSchema = z
  .object({
    id: z.string().meta({ description: 'Endpoint and cause.' }),
    object: z.literal('dead_letter_cause'),
    endpoint_id: z.string(),
    endpoint_url: z.string(),
    endpoint_enabled: z.boolean(),
    endpoint_deleted: z.boolean(),
    endpoint_disabled_reason: z.literal('failing').nullable(),
    endpoint_failing_since: timestamp.nullable(),
    merchant_id: z.string(),
    merchant_name: z.string(),
    response_status: z.int().nullable(),
    fault: z.enum(DELIVERY_FAULTS).nullable(),
    sentence: z.string().meta({ examples: ['401: probably a wrong secret'] }),
    probably_wrong_secret: z.boolean(),
    count: z.int(),
    count_is_more: z.boolean().meta({ description: 'Whether there are more than `count`.' }),
    since: timestamp.meta({ description: 'When the oldest of these deliveries was created.' }),
    latest: timestamp.meta({ description: 'When the newest of these deliveries was created.' }),
    latest_delivery_id: z.string(),
  })
  .meta({ id: 'DeadLetterCause' });
export type DeadLetterObject = z.infer<typeof deadLetterSchema>;
export const deadLetterListSchema = listPageSchema(deadLetterSchema, 'DeadLetterCauseList');

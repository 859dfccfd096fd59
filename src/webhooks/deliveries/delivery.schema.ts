import { z } from 'zod';
import { DELIVERY_FAULTS } from '../../domain/delivery-cause.js';
import { DELIVERY_STATUSES } from '../../domain/delivery-status.js';
import { EVENT_TYPES } from '../../domain/event-type.js';
import { ENVIRONMENTS } from '../../domain/network.js';
import { ATTEMPTS_MAX } from '../../domain/webhook-retry-schedule.js';
import { LIST_QUERY, listPageSchema } from '../../http/pagination.js';
import { queryOf, safeText, timestampText } from '../../http/request-schema.js';

/** `ATTEMPTS_MAX` as a word. */
const ATTEMPTS_WORD = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'][ATTEMPTS_MAX - 1];

const id = safeText({ min: 1, max: 64 });

/** Query of GET /v1/deliveries. */
export const listDeliveriesQuery = queryOf({
  ...LIST_QUERY,
  endpoint_id: id.optional().meta({ description: 'Only deliveries to this webhook endpoint, a deleted one too.' }),
  event_id: id.optional().meta({ description: 'Only deliveries of this event.' }),
  status: z.enum(DELIVERY_STATUSES).optional().meta({ description: 'Only deliveries in this status.' }),
  created_gte: timestampText().optional().meta({ description: 'Created at this moment or later.' }),
  created_lt: timestampText().optional().meta({ description: 'Created before this moment.' }),
});
export type ListDeliveriesQuery = z.infer<typeof listDeliveriesQuery>;

const timestamp = z.iso.datetime({ precision: 3 });
const fault = z.enum(DELIVERY_FAULTS).nullable();

const deliveryFields = {
  id: z.string().meta({ description: '`dlv_...`; a new series of attempts has an id of its own.' }),
  object: z.literal('delivery').meta({ description: 'Always `delivery`.' }),
  environment: z.enum(ENVIRONMENTS).meta({ description: 'The environment of the event and the endpoint.' }),
  endpoint_id: z.string().meta({ description: 'The webhook endpoint that the event is sent to.' }),
  event_id: z.string().meta({ description: 'The event; every attempt of every series sends the same bytes.' }),
  event_type: z.enum(EVENT_TYPES).meta({ description: 'The type of the event.' }),
  status: z.enum(DELIVERY_STATUSES).meta({
    description:
      '`pending` waits for its next attempt; `held` waits until the endpoint is enabled; `delivered` was acknowledged; ' +
      `\`dead_letter\` has failed ${ATTEMPTS_WORD} times; \`cancelled\` because the endpoint was deleted.`,
  }),
  series: z
    .int()
    .min(1)
    .meta({ description: 'Counts the series of attempts of this event for this endpoint, from 1.' }),
  superseded: z.boolean().meta({ description: 'True once a later series exists; retry that one instead.' }),
  attempt_count: z
    .int()
    .min(0)
    .meta({ description: `Attempts that were made, ${ATTEMPTS_WORD} at most.` }),
  next_attempt_at: timestamp
    .nullable()
    .meta({ description: 'When the next attempt is due; null unless the delivery is pending.' }),
  last_response_status: z
    .int()
    .nullable()
    .meta({ description: 'The HTTP status of the latest answer; null when there was none.' }),
  last_fault: fault.meta({ description: 'Why the latest attempt got no complete answer; null when it got one.' }),
  created_at: timestamp.meta({ description: 'When the delivery was created.' }),
  finished_at: timestamp
    .nullable()
    .meta({ description: 'When it was delivered, dead-lettered or cancelled; null while it waits.' }),
};

/** A delivery, without its attempts. */
export const deliverySchema = z.strictObject(deliveryFields).meta({ id: 'Delivery' });
export type DeliveryObject = z.infer<typeof deliverySchema>;

const PRUNED = 'no longer kept (30 days)';

export const deliveryAttemptSchema = z
  .strictObject({
    number: z.int().min(1).meta({ description: 'Counts the attempts of this delivery, from 1.' }),
    started_at: timestamp.meta({ description: 'When the attempt began.' }),
    duration_ms: z.int().min(0).meta({ description: 'How long it took, in milliseconds.' }),
    request_headers: z.array(z.string()).meta({
      description: 'Names of the headers that were sent; empty when the request was never sent. Values are not kept.',
    }),
    response_status: z
      .int()
      .nullable()
      .meta({ description: 'The HTTP status of the answer; null when there was none.' }),
    response_headers: z
      .record(z.string(), z.string())
      .nullable()
      .meta({ description: `The headers of the answer; null when there was none, or it is ${PRUNED}.` }),
    response_body: z
      .string()
      .nullable()
      .meta({
        description:
          'The first 16 KiB of the answer as text; what is not UTF-8 is replaced by U+FFFD. ' +
          `Null when there was none, or it is ${PRUNED}.`,
      }),
    fault: fault.meta({
      description:
        'Why there was no complete answer: `dns`, `tls`, `refused` (no connection), `timeout`, `reset` (the connection ' +
        'broke), `protocol` (not HTTP/1.1), `target_not_allowed` (a private address), `internal` (an error on our side).',
    }),
    fault_message: z.string().nullable().meta({ description: 'The fault in one sentence; null when there was none.' }),
  })
  .meta({ id: 'DeliveryAttempt' });
export type DeliveryAttemptObject = z.infer<typeof deliveryAttemptSchema>;

/** A delivery with its attempts. */
export const deliveryWithAttemptsSchema = z
  .strictObject({
    ...deliveryFields,
    attempts: z
      .array(deliveryAttemptSchema)
      .meta({ description: 'Every attempt of this series that is still kept (180 days), the first one first.' }),
  })
  .meta({ id: 'DeliveryWithAttempts' });
export type DeliveryWithAttemptsObject = z.infer<typeof deliveryWithAttemptsSchema>;

export const deliveryListSchema = listPageSchema(deliverySchema, 'DeliveryList');

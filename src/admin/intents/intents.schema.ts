import { z } from 'zod';
import { explanationSchema } from '../../explain/explanation.schema.js';
import { TIMELINE_KINDS } from '../../explain/timeline/timeline-item.js';
import { listPageSchema } from '../../http/pagination.js';
import { paymentIntentSchema } from '../../payments/intents/payment-intent.schema.js';
import { quoteEvidenceSchema } from '../../payments/intents/quote-evidence.schema.js';

const timestamp = z.iso.datetime({ precision: 3 });

/** An intent in the list of staff. */
const staffIntentSchema = paymentIntentSchema
  .extend({ merchant_name: z.string().meta({ description: 'The name of the merchant.' }) })
  .meta({ id: 'StaffIntent' });
export type StaffIntentObject = z.infer<typeof staffIntentSchema>;

export const staffIntentListSchema = listPageSchema(staffIntentSchema, 'StaffIntentList');

const ACTION_KINDS = [
  'resend',
  'open_endpoint',
  'send_missing',
  'open_deposit',
  'open_networks',
  'retry_settlement',
  'command',
  'answer_payer',
  'answer_merchant',
  'wait',
] as const;

const action = z
  .object({
    kind: z.enum(ACTION_KINDS).meta({
      description:
        '`resend` deliveries, `open_endpoint` that is disabled, `send_missing` event to an endpoint, `open_deposit` to ' +
        'decide about it, `open_networks` to resume one, `retry_settlement`, a `command` for a shell, ' +
        'an answer to copy, or `wait`.',
    }),
    delivery_ids: z.array(z.string()).meta({ description: 'For `resend`; otherwise empty.' }),
    endpoint_id: z.string().nullable().meta({ description: 'For `open_endpoint` and `send_missing`.' }),
    event_id: z.string().nullable().meta({ description: 'For `send_missing`.' }),
    deposit_ids: z.array(z.string()).meta({ description: 'For `open_deposit`; otherwise empty.' }),
    commands: z.array(z.string()).meta({ description: 'For `command`; otherwise empty.' }),
  })
  .meta({ id: 'IntentAction' });
export type IntentActionObject = z.infer<typeof action>;

/** Everything that staff see of an intent at a glance. */
export const staffIntentDetailSchema = staffIntentSchema
  .extend({
    explanation: explanationSchema,
    actions: z.array(action).meta({ description: 'What can be done, one for each finding of the explanation.' }),
    answers: z
      .object({
        merchant: z.string().meta({ description: 'Plain text for a reply to the merchant.' }),
        payer: z.string().meta({ description: 'Plain text for a reply to the payer.' }),
      })
      .meta({ id: 'IntentAnswers', description: 'To copy.' }),
    to_pay_decimal: z
      .string()
      .nullable()
      .meta({
        description:
          'What the payer still has to send, in whole tokens; null while the payer should send nothing: before the address, ' +
          'after the deadline, once enough has arrived, or while a payment is on hold.',
      }),
    acknowledgement: z
      .object({
        author: z.string().meta({ description: 'The member of staff.' }),
        note: z.string().meta({ description: 'Why, for staff alone.' }),
        created_at: timestamp,
      })
      .nullable()
      .meta({
        id: 'IntentAcknowledgement',
        description: 'That staff know of too little or too much money; null until they do.',
      }),
    quote: quoteEvidenceSchema
      .nullable()
      .meta({ description: 'The locked price with its evidence; null before the address.' }),
    tolerance_bps: z.int().meta({ description: 'Underpayment that the merchant accepts, in basis points.' }),
    origin: z
      .object({
        api_key_id: z.string().nullable().meta({ description: 'The key that created it; null where it was not kept.' }),
        request_id: z.string().nullable().meta({ description: 'The request that created it.' }),
      })
      .meta({ id: 'ApiOrigin', description: 'The API call that created it.' }),
    explorer: z
      .object({
        transaction: z.string().meta({ description: 'A transaction hash follows.' }),
        address: z.string().meta({ description: 'An address follows.' }),
        suffix: z.string().meta({ description: 'Follows the hash or the address.' }),
      })
      .nullable()
      .meta({ id: 'ExplorerPages', description: "The pages of the chain's explorer; null for development chains." }),
  })
  .meta({ id: 'StaffIntentDetail' });
export type StaffIntentDetailObject = z.infer<typeof staffIntentDetailSchema>;

const attempt = z
  .object({
    number: z.int().meta({ description: 'Its place in its series, from 1.' }),
    endpoint_id: z.string().meta({ description: 'The endpoint, `we_...`.' }),
    endpoint_url: z.string().meta({ description: 'Where it lies, without query and fragment.' }),
    response_status: z.int().nullable().meta({ description: 'The status that it answered; null without an answer.' }),
  })
  .meta({ id: 'TimelineAttempt' });

const item = z
  .object({
    kind: z.enum(TIMELINE_KINDS).meta({ description: 'What kind of thing happened. New values may be added.' }),
    at: timestamp.nullable().meta({ description: 'When; null where only the order is known.' }),
    title: z.string().meta({ description: 'What happened, as a sentence.' }),
    detail: z.string().nullable().meta({ description: 'More about it.' }),
    failed: z.boolean().meta({ description: 'Whether it went wrong.' }),
    transaction_hash: z.string().nullable().meta({ description: 'The transaction, if it is about one.' }),
    network: z.string().nullable().meta({ description: 'The network of the transaction.' }),
    event_id: z.string().nullable().meta({ description: 'The event, if it is about one.' }),
    delivery_id: z.string().nullable().meta({ description: 'The delivery, if it is about one.' }),
    attempt: attempt.nullable().meta({ description: 'The attempt, if it is one to deliver an event.' }),
    request_id: z.string().nullable().meta({ description: 'The request, if it is a call.' }),
    actor: z.string().nullable().meta({ description: 'The member of staff, if it is theirs.' }),
  })
  .meta({ id: 'TimelineItem' });

export const timelineSchema = z
  .object({
    object: z.literal('timeline').meta({ description: 'Always `timeline`.' }),
    payment_intent_id: z.string().meta({ description: 'The intent.' }),
    items: z.array(item).meta({ description: 'What happened, the oldest first; of very many things the newest.' }),
  })
  .meta({ id: 'Timeline' });
export type TimelineObject = z.infer<typeof timelineSchema>;

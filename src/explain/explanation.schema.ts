import { z } from 'zod';
import type { DeliveryStatus } from '../domain/delivery-status.js';
import { INTENT_STATUSES } from '../domain/intent-state.js';
import { NETWORKS } from '../domain/network.js';
import { PAYMENT_STATUSES } from '../payments/intents/payment-intent.schema.js';
import { VERDICT_CODES } from './verdict/intent-verdict-finding.js';

const timestamp = z.iso.datetime({ precision: 3 });
const units = z.string().regex(/^\d+$/);

const code = z
  .enum(VERDICT_CODES)
  .meta({ description: 'Stable code; each is explained under /docs/explain. New values may be added.' });
const sentence = z.string().meta({ description: 'For people; may change.' });
const nextAction = z.string().meta({ description: 'What you or support can do about it; for people, may change.' });

const transfer = z
  .object({
    tx_hash: z.string().nullable().meta({ description: "Null when a chain's own coin arrived inside of a contract." }),
    from_address: z.string().nullable().meta({ description: 'Address that sent it; null when it is not known.' }),
    network: z.enum(NETWORKS).meta({ description: 'Chain of the transfer.' }),
    token: z.string().meta({ description: 'Symbol of the token that was sent.' }),
    amount: units.meta({ description: "In the token's smallest unit." }),
    amount_decimal: z.string().meta({ description: 'The same amount with its decimal point.' }),
    status: z.enum(PAYMENT_STATUSES).meta({
      description:
        '`pending`: on chain, not final yet. `confirmed`: final. `orphaned`: its block left the chain. `on_hold`: final, ' +
        'but its sender is on the sanctions list, and the operator has not decided. `kept`: the operator keeps it.',
    }),
    confirmations: z.int().min(0).meta({ description: 'Blocks on top of the block that holds the transfer.' }),
    required_confirmations: z
      .int()
      .min(0)
      .meta({ description: 'Confirmations that make a transfer final on this network.' }),
    block_number: z.int().min(0).meta({ description: 'Height of the block that holds the transfer.' }),
    block_time: timestamp.meta({ description: "Time of that block by the chain's own clock." }),
    seen_at: timestamp.meta({ description: 'When the service first saw the transfer.' }),
  })
  .meta({ id: 'ExplainedTransfer' });

/** All `DELIVERY_STATUSES`, in the order of the description; the presenter does not compile if one is missing. */
const SHOWN_DELIVERY_STATUSES = [
  'pending',
  'held',
  'delivered',
  'dead_letter',
  'cancelled',
] as const satisfies readonly DeliveryStatus[];

const delivery = z
  .object({
    id: z.string().meta({ description: 'Identifier of the delivery, `dlv_...`.' }),
    event_id: z.string().meta({ description: 'The event that is delivered, `evt_...`.' }),
    event_type: z.string().meta({ description: 'Type of that event.' }),
    webhook_endpoint_id: z.string().meta({ description: 'The endpoint that it is sent to, `we_...`.' }),
    url: z.string().meta({ description: 'Without query and fragment.' }),
    status: z.enum(SHOWN_DELIVERY_STATUSES).meta({
      description:
        '`pending`: due now or later. `held`: the endpoint is disabled. `delivered`: acknowledged. ' +
        '`dead_letter`: all attempts failed. `cancelled`: the endpoint was deleted.',
    }),
    attempts: z.int().min(0).meta({ description: 'Attempts made so far.' }),
    last_attempt_at: timestamp
      .nullable()
      .meta({ description: 'When the last attempt was made; null before the first.' }),
    last_response_status: z.int().nullable().meta({ description: 'Null when no answer came.' }),
    last_error_code: z.string().nullable().meta({ description: 'Why no answer came, such as `timeout`.' }),
    next_attempt_at: timestamp.nullable().meta({ description: 'Null when none follows.' }),
  })
  .meta({ id: 'ExplainedDelivery' });

const evidence = z
  .object({
    blockchain_address: z.string().meta({ description: 'Address of the payment intent.' }),
    expires_at: timestamp.meta({ description: 'Deadline of the payment intent.' }),
    since: timestamp.meta({ description: 'When it began to be so.' }),
    crypto_amounts: z
      .object({
        expected: units.meta({ description: 'Amount to pay.' }),
        expected_decimal: z.string().meta({ description: 'The same with its decimal point.' }),
        received: units.meta({ description: 'Amount received so far.' }),
        received_decimal: z.string().meta({ description: 'The same with its decimal point.' }),
        missing: units.meta({ description: 'What is missing of the amount; 0 when nothing is.' }),
        missing_decimal: z.string().meta({ description: 'The same with its decimal point.' }),
        surplus: units.meta({ description: 'What was received beyond the amount; 0 when nothing was.' }),
        surplus_decimal: z.string().meta({ description: 'The same with its decimal point.' }),
      })
      .meta({ description: "In the intent's token: smallest units, and decimals for people." }),
    payments: z.array(transfer).meta({ description: 'Of more than 20, the 20 largest.' }),
    deliveries: z.array(delivery).meta({ description: 'At most 20.' }),
    webhook_endpoints: z
      .array(
        z.object({
          id: z.string().meta({ description: 'Identifier of the endpoint, `we_...`.' }),
          url: z.string().meta({ description: 'Where its events are sent.' }),
          enabled: z.boolean().meta({ description: 'Whether events are sent to it.' }),
        }),
      )
      .meta({ description: 'Your endpoints that matter here.' }),
    events: z
      .array(
        z.object({
          id: z.string().meta({ description: 'Identifier of the event, `evt_...`.' }),
          event_type: z.string().meta({ description: 'Type of the event.' }),
          created_at: timestamp.meta({ description: 'When it happened.' }),
        }),
      )
      .meta({ description: 'Events of the payment intent.' }),
    listener: z
      .object({
        height: z.int().meta({ description: 'Height of the last block that was read.' }),
        head_height: z.int().meta({ description: "Height of the chain's newest block." }),
        blocks_behind: z.int().min(0).meta({ description: 'Blocks between the two.' }),
        lag_seconds: z
          .number()
          .min(0)
          .meta({ description: 'Seconds since the service had last read all of the chain.' }),
      })
      .meta({ description: 'How far the chain is read.' }),
    pocket_id: z.string().meta({ description: 'Where the money is credited.' }),
    estimated_seconds_to_finality: z
      .int()
      .min(0)
      .meta({ description: 'Estimated seconds until the payment is final.' }),
  })
  .partial()
  .meta({ description: 'What the finding rests on. Only what matters to it is present.' });
export type EvidenceObject = z.infer<typeof evidence>;

const finding = z.object({ code, sentence, evidence, next_action: nextAction }).meta({ id: 'Finding' });
export type FindingObject = z.infer<typeof finding>;

/** GET /v1/payment-intents/:id/explain. */
export const explanationSchema = z
  .object({
    object: z.literal('explanation').meta({ description: 'Always `explanation`.' }),
    payment_intent_id: z.string().meta({ description: 'The payment intent that is explained, `pi_...`.' }),
    status: z.enum(INTENT_STATUSES).exclude(['created']).meta({ description: 'Status of the payment intent.' }),
    verdict: z.object({ code, sentence, next_action: nextAction }).meta({ description: 'The first finding.' }),
    findings: z.array(finding).min(1).meta({ description: 'All that is worth saying, the most important first.' }),
    checked_at: timestamp.meta({ description: 'When the facts were read, ISO 8601 in UTC.' }),
  })
  .meta({ id: 'Explanation' });
export type ExplanationObject = z.infer<typeof explanationSchema>;

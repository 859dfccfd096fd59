import { z } from 'zod';
import { INTENT_STATUSES } from '../domain/intent-state.js';
import { NETWORKS } from '../domain/network.js';
import { VERDICT_CODES } from '../domain/intent-verdict-finding.js';

const timestamp = z.iso.datetime({ precision: 3 });
const units = z.string().regex(/^\d+$/);

const code = z.enum(VERDICT_CODES).meta({ description: 'Stable; each is explained under /docs/explain.' });
const sentence = z.string().meta({ description: 'For people; may change.' });
const nextAction = z.string().meta({ description: 'What you or support can do about it; for people, may change.' });

const transfer = z
  .object({
    tx_hash: z.string().nullable().meta({ description: "Null when a chain's own coin arrived inside of a contract." }),
    from_address: z.string().nullable(),
    network: z.enum(NETWORKS),
    token: z.string(),
    amount: units.meta({ description: "In the token's smallest unit." }),
    amount_decimal: z.string(),
    status: z.enum(['pending', 'confirmed', 'orphaned']),
    confirmations: z.int().min(0),
    required_confirmations: z.int().min(0),
    block_number: z.int().min(0),
    block_time: timestamp,
    seen_at: timestamp,
  })
  .meta({ id: 'ExplainedTransfer' });

const delivery = z
  .object({
    id: z.string(),
    event_id: z.string(),
    event_type: z.string(),
    webhook_endpoint_id: z.string(),
    url: z.string().meta({ description: 'Without query and fragment.' }),
    status: z.enum(['pending', 'held', 'delivered', 'dead_letter', 'cancelled']),
    attempts: z.int().min(0),
    last_attempt_at: timestamp.nullable(),
    last_response_status: z.int().nullable().meta({ description: 'Null when no answer came.' }),
    last_error_code: z.string().nullable().meta({ description: 'Why no answer came, such as `timeout`.' }),
    next_attempt_at: timestamp.nullable().meta({ description: 'Null when none follows.' }),
  })
  .meta({ id: 'ExplainedDelivery' });

const evidence = z
  .object({
    blockchain_address: z.string(),
    expires_at: timestamp,
    since: timestamp.meta({ description: 'When it began to be so.' }),
    crypto_amounts: z
      .object({
        expected: units,
        expected_decimal: z.string(),
        received: units,
        received_decimal: z.string(),
        missing: units,
        missing_decimal: z.string(),
        surplus: units,
        surplus_decimal: z.string(),
      })
      .meta({ description: "In the intent's token: smallest units, and decimals for people." }),
    payments: z.array(transfer).meta({ description: 'Of more than 20, the 20 largest.' }),
    deliveries: z.array(delivery).meta({ description: 'At most 20.' }),
    webhook_endpoints: z.array(z.object({ id: z.string(), url: z.string(), enabled: z.boolean() })),
    events: z.array(z.object({ id: z.string(), event_type: z.string(), created_at: timestamp })),
    listener: z.object({
      height: z.int(),
      head_height: z.int(),
      blocks_behind: z.int().min(0),
      lag_seconds: z.number().min(0),
    }),
    pocket_id: z.string().meta({ description: 'Where the money is credited.' }),
    estimated_seconds_to_finality: z.int().min(0),
  })
  .partial()
  .meta({ description: 'What the finding rests on. Only what matters to it is present.' });
export type EvidenceObject = z.infer<typeof evidence>;

const finding = z.object({ code, sentence, evidence, next_action: nextAction }).meta({ id: 'Finding' });
export type FindingObject = z.infer<typeof finding>;

/** GET /v1/payment-intents/:id/explain. */
export const explanationSchema = z
  .object({
    object: z.literal('explanation'),
    payment_intent_id: z.string(),
    status: z.enum(INTENT_STATUSES).exclude(['created']),
    verdict: z.object({ code, sentence, next_action: nextAction }).meta({ description: 'The first finding.' }),
    findings: z.array(finding).min(1).meta({ description: 'All that is worth saying, the most important first.' }),
    checked_at: timestamp,
  })
  .meta({ id: 'Explanation' });
export type ExplanationObject = z.infer<typeof explanationSchema>;

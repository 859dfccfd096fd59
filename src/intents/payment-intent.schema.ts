import { z } from 'zod';
import { INTENT_STATUSES } from '../domain/intent-state.js';
import { ENVIRONMENTS, NETWORKS } from '../domain/network.js';
import { LIST_QUERY, listPageSchema } from '../http/pagination.js';
import { bodyOf, queryOf, safeText, timestampText } from '../http/request-schema.js';

const METADATA_KEYS_MAX = 20;
const RESERVED_METADATA_KEY = 'blockchain_address';

const metadata = z
  .preprocess(
    refusePrototype,
    z.record(
      safeText({ min: 1, max: 40 }),
      z.union([safeText({ max: 500 }), z.number(), z.boolean()], { error: 'must be text, a number, true or false' }),
    ),
  )
  .refine((given) => Object.keys(given).length <= METADATA_KEYS_MAX, {
    error: `must have at most ${METADATA_KEYS_MAX} keys`,
  })
  .refine((given) => !Object.hasOwn(given, RESERVED_METADATA_KEY), {
    error: `must not contain ${RESERVED_METADATA_KEY}, which is filled in with the address`,
  })
  .meta({ description: 'Your own keys and values; returned unchanged.' });

/** A record leaves this one name out without a word, and what is not kept must not be accepted. */
function refusePrototype(given: unknown, ctx: z.core.$RefinementCtx): unknown {
  if (Object.hasOwn(Object(given), '__proto__')) {
    ctx.addIssue({ code: 'custom', path: ['__proto__'], message: 'is a name that cannot be kept', input: given });
  }
  return given;
}

/** Body of POST /v1/payment-intents (spec 4.1; requirements: api.md 2). */
export const createIntentBody = bodyOf({
  amount_cents: z
    .int()
    .min(1)
    .max(10 ** 12)
    .meta({ description: 'Fiat amount to collect, in minor units.' }),
  currency: z.literal('USD').meta({ description: 'Fiat currency. USD is offered.' }),
  network: z.enum(NETWORKS).meta({ description: 'Chain on which the customer pays.' }),
  token: safeText({ min: 1, max: 32 }).meta({
    description: 'Token on that network (USDC, USDT), or its own coin (ETH, POL, BNB).',
    examples: ['USDC', 'ETH'],
  }),
  settlement_currency: safeText({ min: 1, max: 32 }).optional().meta({ description: 'USDC, or the token itself.' }),
  reference: safeText({ max: 255 }).optional().meta({ description: 'Your own reference, returned unchanged.' }),
  metadata: metadata.optional(),
  expires_in_seconds: z.int().min(300).max(604_800).optional().meta({ description: 'Lifetime of the intent.' }),
}).meta({ id: 'CreatePaymentIntent' });
export type CreateIntentBody = z.infer<typeof createIntentBody>;

/** Every spelling the status filter takes: the five of spec 4.5 and every status that is emitted. */
export const STATUS_FILTERS = [
  'requires_payment',
  'processing',
  'completed',
  'expired',
  'canceled',
  'requires_action',
  'failed',
  'cancelled',
] as const;
export type StatusFilter = (typeof STATUS_FILTERS)[number];

/** Query of GET /v1/payment-intents (spec 4.5). */
export const listIntentsQuery = queryOf({
  ...LIST_QUERY,
  status: z.enum(STATUS_FILTERS).optional(),
  network: z.enum(NETWORKS).optional(),
  created_gte: timestampText().optional().meta({ description: 'Created at this moment or later.' }),
  created_lt: timestampText().optional().meta({ description: 'Created before this moment.' }),
});
export type ListIntentsQuery = z.infer<typeof listIntentsQuery>;

const cents = z.int();
const units = z.string().regex(/^\d+$/);
const timestamp = z.iso.datetime({ precision: 3 });

const payment = z
  .object({
    tx_hash: z
      .string()
      .nullable()
      .meta({
        description: "Null for a chain's own coin that arrived inside of a contract, which no transaction names.",
        examples: [`0x${'5f'.repeat(32)}`, null],
      }),
    amount: units.meta({ description: "In the token's smallest unit." }),
    amount_decimal: z.string(),
    status: z.enum(['pending', 'confirmed', 'orphaned']),
    confirmations: z.int().min(0),
    required_confirmations: z.int().min(0),
    block_number: z.int().min(0),
    seen_at: timestamp,
    late: z
      .boolean()
      .meta({ description: 'Arrived too late to count for the intent; it is in the pocket all the same.' }),
  })
  .meta({ id: 'Payment' });

/** The payment intent object (spec 2.1, and the additions of api.md 2). */
export const paymentIntentSchema = z
  .object({
    id: z.string(),
    object: z.literal('payment_intent'),
    merchant_id: z.string(),
    environment: z.enum(ENVIRONMENTS),
    amount_cents: cents,
    received_amount_cents: cents,
    remaining_amount_cents: cents,
    overpaid_amount_cents: cents,
    accepted_shortfall_cents: cents,
    currency: z.string(),
    settlement_currency: z.string(),
    network: z.enum(NETWORKS),
    token: z.string(),
    token_decimals: z.int().nullable(),
    crypto_amount: units.nullable(),
    crypto_amount_decimal: z.string().nullable(),
    received_crypto_amount: units,
    token_price_cents: cents.nullable(),
    status: z.enum(INTENT_STATUSES).exclude(['created']),
    failure_code: z.literal('underpaid').nullable(),
    reference: z.string().nullable(),
    metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    payments: z.array(payment).meta({ description: 'Transfers to the address; of more than 100, the 100 largest.' }),
    payment_uri: z.string().nullable(),
    checkout_url: z.string().nullable(),
    created_at: timestamp,
    updated_at: timestamp,
    expires_at: timestamp,
    completed_at: timestamp.nullable(),
  })
  .meta({ id: 'PaymentIntent' });
export type PaymentIntentObject = z.infer<typeof paymentIntentSchema>;

/** GET /v1/payment-intents. */
export const paymentIntentListSchema = listPageSchema(paymentIntentSchema, 'PaymentIntentList');

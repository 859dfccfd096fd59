import { z } from 'zod';
import { INTENT_FAILURES, INTENT_STATUSES, type IntentStatus, LIFETIME_SECONDS } from '../../domain/intent-state.js';
import { ENVIRONMENTS, NETWORKS } from '../../domain/network.js';
import { AMOUNT_CENTS_MAX } from '../../domain/quote.js';
import { addressText, transactionHashText } from '../../http/chain-text.js';
import { LIST_QUERY, listPageSchema } from '../../http/pagination.js';
import { bodyOf, queryOf, safeText, timestampText } from '../../http/request-schema.js';

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
  .meta({
    description: 'Your own keys and values, at most 20; returned unchanged. The key `blockchain_address` is reserved.',
  });

/** `z.record` drops this one name silently, and input that is not kept must not be accepted. */
function refusePrototype(given: unknown, ctx: z.core.$RefinementCtx): unknown {
  if (Object.hasOwn(Object(given), '__proto__')) {
    ctx.addIssue({ code: 'custom', path: ['__proto__'], message: 'is a name that cannot be kept', input: given });
  }
  return given;
}

/** Body of POST /v1/payment-intents. */
export const createIntentBody = bodyOf({
  amount_cents: z.int().min(1).max(AMOUNT_CENTS_MAX).meta({ description: 'Fiat amount to collect, in minor units.' }),
  currency: z.literal('USD').meta({ description: 'Fiat currency. USD is offered.' }),
  network: z.enum(NETWORKS).meta({ description: 'Chain on which the customer pays.' }),
  token: safeText({ min: 1, max: 32 }).meta({
    description: 'Token on that network (USDC, USDT), or its own coin (ETH, POL, BNB).',
    examples: ['USDC', 'ETH'],
  }),
  settlement_currency: safeText({ min: 1, max: 32 })
    .optional()
    .meta({ description: '`USDC` (default), or the token itself.' }),
  reference: safeText({ max: 255 }).optional().meta({ description: 'Your own reference, returned unchanged.' }),
  metadata: metadata.optional(),
  expires_in_seconds: z.int().min(LIFETIME_SECONDS.min).max(LIFETIME_SECONDS.max).optional().meta({
    description: 'Seconds until the intent is due. The service has a default, one hour unless configured otherwise.',
  }),
}).meta({ id: 'CreatePaymentIntent' });
export type CreateIntentBody = z.infer<typeof createIntentBody>;

/** Every spelling that the status filter accepts: its own two, and every status that is emitted. */
const STATUS_FILTERS = [
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

/** Returns the stored status that a spelling of the filter stands for. */
function storedStatus(filter: StatusFilter): IntentStatus {
  if (filter === 'requires_payment') return 'requires_action';
  return filter === 'canceled' ? 'cancelled' : filter;
}

/** The filter of lists of intents by their status. Parses to the stored one. */
export const statusFilter = z.enum(STATUS_FILTERS).transform(storedStatus).optional().meta({
  description: 'Only intents in this status. `requires_payment` is `requires_action`, `canceled` is `cancelled`.',
});

/** The filter of lists of intents by their network. */
export const networkFilter = z.enum(NETWORKS).optional().meta({ description: 'Only intents on this network.' });

/** Query of GET /v1/payment-intents. */
export const listIntentsQuery = queryOf({
  ...LIST_QUERY,
  status: statusFilter,
  network: networkFilter,
  reference: safeText({ max: 255 })
    .optional()
    .meta({ description: 'Only intents with exactly this reference of yours.' }),
  address: addressText()
    .optional()
    .meta({ description: 'Only the intent with this address. The case of an EVM address does not matter.' }),
  tx_hash: transactionHashText()
    .optional()
    .meta({
      description:
        'Only intents with a payment by this transaction, orphaned payments included. Money that belongs to no intent is ' +
        'not found here.',
    }),
  created_gte: timestampText().optional().meta({ description: 'Created at this moment or later.' }),
  created_lt: timestampText().optional().meta({ description: 'Created before this moment.' }),
});
export type ListIntentsQuery = z.infer<typeof listIntentsQuery>;

const cents = z.int();
const units = z.string().regex(/^\d+$/);
const timestamp = z.iso.datetime({ precision: 3 });

/** Statuses of a payment that the API shows. */
export const PAYMENT_STATUSES = ['pending', 'confirmed', 'orphaned', 'on_hold', 'kept'] as const;

const payment = z
  .object({
    id: z.string().meta({
      description: 'Identifier of the payment, `dep_...`. Its entry in a pocket has the reference `deposit:dep_...`.',
    }),
    tx_hash: z
      .string()
      .nullable()
      .meta({
        description:
          "Hash of the transaction. Null for a chain's own coin that a contract sent, which no transaction of " +
          'its own names.',
        examples: [`0x${'5f'.repeat(32)}`, null],
      }),
    from_address: z
      .string()
      .nullable()
      .meta({
        description: "Sender of the transfer. Null for a chain's own coin that a contract sent.",
        examples: ['0x70997970c51812dc3a010c7d01b50e0d17dc79c8', null],
      }),
    amount: units.meta({ description: "Amount of the transfer, in the token's smallest unit." }),
    amount_decimal: z.string().meta({ description: 'The same amount with its decimal point.' }),
    status: z.enum(PAYMENT_STATUSES).meta({
      description:
        '`pending`: on chain, not final yet. `confirmed`: final. `orphaned`: its block left the chain, so it ' +
        'counts no more. `on_hold`: final, but its sender is on the sanctions list; it counts in no amount and is in no ' +
        'pocket until the operator of the service decides. `kept`: the operator decided to keep it. New values may be ' +
        'added.',
    }),
    confirmations: z.int().min(0).meta({ description: 'Blocks on top of the block that holds the transfer.' }),
    required_confirmations: z
      .int()
      .min(0)
      .meta({ description: 'Confirmations that make a transfer final on this network.' }),
    block_number: z.int().min(0).meta({ description: 'Height of the block that holds the transfer.' }),
    seen_at: timestamp.meta({ description: 'When the service first saw the transfer.' }),
    late: z.boolean().meta({
      description:
        'Too late to count for the intent: it arrived after the deadline or after the end of the intent, or was on hold ' +
        'until after the end. Once confirmed, it is in the pocket all the same.',
    }),
  })
  .meta({ id: 'Payment' });

/** The payment intent object. */
export const paymentIntentSchema = z
  .object({
    id: z.string().meta({ description: 'Identifier of the payment intent, `pi_...`. Opaque.' }),
    object: z.literal('payment_intent').meta({ description: 'Always `payment_intent`.' }),
    merchant_id: z.string().meta({ description: 'The merchant that owns the intent, `mer_...`.' }),
    environment: z.enum(ENVIRONMENTS).meta({ description: 'Environment of the key that created the intent.' }),
    amount_cents: cents.meta({ description: 'Amount to collect, in minor units of `currency`: 2500 is 25.00 USD.' }),
    received_amount_cents: cents.meta({
      description:
        'Value received so far, in minor units of `currency`: computed with the locked price, rounded down, at ' +
        'most `amount_cents`. Transfers that are not final yet count, and `payments` says which they are. ' +
        'Payments that are on hold or kept do not, so it falls when a hold begins. Fixed once the intent has ended.',
    }),
    remaining_amount_cents: cents.meta({
      description:
        'Value still outstanding, in minor units of `currency`: `amount_cents` less `received_amount_cents`.',
    }),
    overpaid_amount_cents: cents.meta({
      description: 'Value received beyond `amount_cents`, in minor units of `currency`.',
    }),
    accepted_shortfall_cents: cents.meta({
      description:
        'Value that was missing and accepted within your tolerance for underpayments, in minor units of ' +
        '`currency`. 0 unless the intent completed with less than its amount.',
    }),
    currency: z.string().meta({ description: 'Fiat currency of the amount, an ISO 4217 code: `USD`.' }),
    settlement_currency: z.string().meta({
      description:
        'Currency you asked to settle in: `USDC` or the token itself. The pocket holds the token that was paid.',
    }),
    network: z.enum(NETWORKS).meta({ description: 'Chain on which the customer pays.' }),
    token: z
      .string()
      .meta({ description: "Symbol of the token to pay, such as `USDC`, or of the chain's own coin, such as `ETH`." }),
    token_decimals: z
      .int()
      .nullable()
      .meta({
        description:
          'Decimals of the token: one token is 10 to this power of its smallest units. Null until the address is ' +
          'generated.',
      }),
    crypto_amount: units.nullable().meta({
      description:
        "Amount to pay, in the token's smallest unit, rounded up. Locked when the address is generated; null " +
        'until then.',
    }),
    crypto_amount_decimal: z.string().nullable().meta({
      description:
        'The same amount with its decimal point, to show to the customer. Null until the address is generated.',
    }),
    received_crypto_amount: units.meta({
      description:
        "Amount received so far, in the token's smallest unit, overpayment included. Counts what " +
        '`received_amount_cents` counts.',
    }),
    token_price_cents: cents.nullable().meta({
      description:
        'Price of one token in minor units of `currency`, rounded, at the moment the address was generated. ' +
        'Null until then. `GET /v1/payment-intents/{id}/quote` gives the exact price.',
    }),
    address: z.string().nullable().meta({
      description:
        'Address to pay to, also in `metadata` as `blockchain_address`. Null until the address is generated.',
    }),
    status: z
      .enum(INTENT_STATUSES)
      .exclude(['created'])
      .meta({
        description:
          '`requires_action`: needs an address, or waits for the payment. `processing`: a payment of a cent or more was ' +
          'seen on chain, or you confirmed. `completed`: paid, and the payment is final. `failed`: see `failure_code`. ' +
          '`expired`: nothing arrived in time, or less than a cent. `cancelled`: cancelled by the operator of the service. The last ' +
          'four are terminal.',
      }),
    failure_code: z
      .enum(INTENT_FAILURES)
      .nullable()
      .meta({
        description:
          'Why the intent failed; null unless it did. `underpaid`: less than the amount arrived in time. ' +
          '`payment_on_hold`: what arrived in time came from a sender on the sanctions list. New values may be added.',
      }),
    reference: z
      .string()
      .nullable()
      .meta({ description: 'Your own reference from the creation; null when you gave none.' }),
    metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).meta({
      description:
        'Your own keys and values. `blockchain_address`, the address to pay to, is added when the address is ' +
        'generated.',
    }),
    payments: z.array(payment).meta({ description: 'Transfers to the address; of more than 100, the 100 largest.' }),
    payment_uri: z
      .string()
      .nullable()
      .meta({
        description:
          'Link that opens the payment in a wallet, also for a QR code: EIP-681 on EVM networks, Solana Pay on solana; on ' +
          'tron, whose wallets agree on no link, the address alone. Null until the address is generated.',
      }),
    checkout_url: z
      .string()
      .nullable()
      .meta({ description: 'Page on which the customer can pay. Null while no such page is offered.' }),
    created_at: timestamp.meta({ description: 'When the intent was created, ISO 8601 in UTC.' }),
    updated_at: timestamp.meta({ description: 'When the intent last changed, ISO 8601 in UTC.' }),
    expires_at: timestamp.meta({
      description: 'Deadline, ISO 8601 in UTC. The intent expires or fails if the full amount has not arrived by then.',
    }),
    completed_at: timestamp
      .nullable()
      .meta({ description: 'When the intent completed, ISO 8601 in UTC; null until then.' }),
  })
  .meta({ id: 'PaymentIntent' });
export type PaymentIntentObject = z.infer<typeof paymentIntentSchema>;

/** GET /v1/payment-intents. */
export const paymentIntentListSchema = listPageSchema(paymentIntentSchema, 'PaymentIntentList');

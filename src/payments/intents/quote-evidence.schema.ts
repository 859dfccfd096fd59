import { z } from 'zod';
import { NETWORKS } from '../../domain/network.js';
import { SOURCE_REASONS, VERDICT_CODES } from '../../domain/price-verdict.js';

const decimal = z.string().regex(/^\d+(\.\d+)?$/);
const timestamp = z.iso.datetime({ precision: 3 });

const source = z
  .object({
    source: z.string().meta({ description: 'Where the price comes from.' }),
    value: decimal.nullable().meta({ description: 'USD for one token; null when the source gave no price.' }),
    observed_at: timestamp
      .nullable()
      .meta({ description: "By the source's own clock if it reports one, else when its answer came." }),
    age_seconds: z.number().min(0).nullable().meta({ description: 'When the price was decided.' }),
    deviation_bps: z.int().nullable().meta({
      description: 'Basis points from the median; of a source that can only veto, from the price.',
    }),
    used: z.boolean().meta({ description: 'Whether the price is made of it.' }),
    reason: z
      .enum(SOURCE_REASONS)
      .nullable()
      .meta({ description: 'Why it is not used; null when it is. New values may be added.' }),
  })
  .meta({ id: 'QuoteSource' });

/** GET /v1/payment-intents/{id}/quote: the evidence of the locked price. */
export const quoteEvidenceSchema = z
  .object({
    object: z.literal('quote_evidence').meta({ description: 'Always `quote_evidence`.' }),
    payment_intent_id: z.string().meta({ description: 'The payment intent that was quoted, `pi_...`.' }),
    network: z.enum(NETWORKS).meta({ description: 'Chain of the payment intent.' }),
    token: z.string().meta({ description: 'Symbol of the token that was priced.' }),
    currency: z.string().meta({ description: 'Fiat currency of the payment intent.' }),
    price: decimal.meta({ description: 'USD for one token, exactly as the amount was computed with it.' }),
    token_price_cents: z.int().meta({ description: 'The price in minor units of `currency`, rounded.' }),
    amount_cents: z.int().meta({ description: 'Amount of the payment intent, in minor units of `currency`.' }),
    crypto_amount: z.string().regex(/^\d+$/).meta({ description: "In the token's smallest unit, rounded up." }),
    crypto_amount_decimal: z.string().meta({ description: 'The same amount with its decimal point.' }),
    priced_at: timestamp.meta({ description: 'When the sources were asked.' }),
    verdict: z
      .object({
        code: z.enum(VERDICT_CODES).meta({
          description:
            'How the price was found: `agreed` between the sources, or `fixed` in the sandbox. New values may ' +
            'be added.',
        }),
        rule: z.string().meta({ description: 'The rule in words.' }),
        median: decimal.nullable().meta({ description: 'Of all fresh sources, before outliers were dropped.' }),
        quorum: z.int().min(1).meta({ description: 'Fresh sources that the token needs.' }),
        fresh_sources: z.int().min(0).meta({ description: 'Sources whose price was fresh.' }),
        used_sources: z.int().min(0).meta({ description: 'Sources that the price is made of.' }),
      })
      .meta({ id: 'QuoteVerdict', description: 'How the price was decided.' }),
    sources: z.array(source).meta({ description: 'Every source that was asked, and what it said.' }),
  })
  .meta({ id: 'QuoteEvidence' });
export type QuoteEvidenceObject = z.infer<typeof quoteEvidenceSchema>;

const observed = '2026-01-31T11:59:52.000Z';

/** An order of 25 dollars in POL: Kraken is left out, because its price lies 1.8 % from the others. */
export const quoteEvidenceExample: QuoteEvidenceObject = {
  object: 'quote_evidence',
  payment_intent_id: 'pi_01jd2v8w3q4r5s6t7v8w9x0y1z',
  network: 'polygon',
  token: 'POL',
  currency: 'USD',
  price: '0.5002',
  token_price_cents: 50,
  amount_cents: 2500,
  crypto_amount: '49980007996801279489',
  crypto_amount_decimal: '49.980007996801279489',
  priced_at: '2026-01-31T11:59:54.000Z',
  verdict: {
    code: 'agreed',
    rule: 'The median of at least 3 fresh sources, without those more than 1 % from it; the rest must be more than half.',
    median: '0.5003',
    quorum: 3,
    fresh_sources: 4,
    used_sources: 3,
  },
  sources: [
    {
      source: 'coinbase',
      value: '0.5001',
      observed_at: observed,
      age_seconds: 2.4,
      deviation_bps: -4,
      used: true,
      reason: null,
    },
    {
      source: 'kraken',
      value: '0.5093',
      observed_at: '2026-01-31T11:59:54.212Z',
      age_seconds: 0.2,
      deviation_bps: 180,
      used: false,
      reason: 'outlier',
    },
    {
      source: 'binance',
      value: '0.5002',
      observed_at: '2026-01-31T11:59:54.190Z',
      age_seconds: 0.2,
      deviation_bps: -2,
      used: true,
      reason: null,
    },
    {
      source: 'coingecko',
      value: '0.5004',
      observed_at: '2026-01-31T11:59:12.000Z',
      age_seconds: 42.4,
      deviation_bps: 2,
      used: true,
      reason: null,
    },
    {
      source: 'chainlink',
      value: '0.49961',
      observed_at: '2026-01-31T11:58:07.000Z',
      age_seconds: 107.4,
      deviation_bps: -12,
      used: false,
      reason: 'reference',
    },
  ],
};

import { z } from 'zod';
import { SOURCE_REASONS, VERDICT_CODES } from '../../domain/price-verdict.js';
import { timestamp } from '../deliveries/deliveries.schema.js';

const source = z
  .object({
    source: z.string(),
    value: z.string().nullable().meta({ description: 'USD for one whole token; null when it had no price.' }),
    observed_at: timestamp.nullable().meta({ description: 'When the source observed it.' }),
    age_seconds: z.number().nullable().meta({ description: 'Its age when the snapshot was taken.' }),
    deviation_bps: z.number().nullable().meta({ description: 'From the median of the fresh sources.' }),
    used: z.boolean(),
    reason: z.enum(SOURCE_REASONS).nullable().meta({ description: 'Why it was not used.' }),
  })
  .meta({ id: 'PriceSource' });

const price = z
  .object({
    id: z.string().meta({ description: 'Symbol of the token.' }),
    price: z.string().nullable().meta({ description: 'USD for one whole token; null: nothing is quoted.' }),
    code: z.enum(VERDICT_CODES),
    quorum: z.int().meta({ description: 'The least number of fresh sources.' }),
    fresh_sources: z.int(),
    used_sources: z.int(),
    is_quotable: z.boolean().meta({ description: 'Whether an address can be generated for this token now.' }),
    is_off_peg: z.boolean().meta({ description: 'A stablecoin outside of 0.99 to 1.01.' }),
    sources: z.array(source),
  })
  .meta({ id: 'TokenPrice' });

export const pricesSchema = z
  .object({
    object: z.literal('prices'),
    snapshot_id: z.string().nullable().meta({ description: 'The newest snapshot; null before the first one.' }),
    age_seconds: z.number().nullable(),
    is_fresh: z.boolean().meta({ description: 'Whether it is at most 60 s old, so that its prices are quoted.' }),
    prices: z.array(price),
    commands: z.array(z.string()),
  })
  .meta({ id: 'Prices' });
export type PricesObject = z.infer<typeof pricesSchema>;

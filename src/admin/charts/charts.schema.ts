import { z } from 'zod';
import { queryOf } from '../../http/request-schema.js';
import { timestamp } from '../deliveries/deliveries.schema.js';

export const chartsQuery = queryOf({
  days: z.int().min(1).max(90).default(14).meta({ description: 'How many days, with today.' }),
});
export type ChartsQuery = z.infer<typeof chartsQuery>;

const figure = (description: string) => z.int().meta({ description });

const day = z
  .object({
    id: z.string().meta({ description: 'The day in UTC, such as `2026-11-29`.' }),
    settled_cents: figure('What completed intents received, in fiat minor units.'),
    intents_created: figure('Intents that were created.'),
    intents_completed: figure('Intents that completed.'),
    intents_failed: figure('Intents that failed.'),
    intents_expired: figure('Intents that expired.'),
    intents_cancelled: figure('Intents that were cancelled.'),
    attempts_delivered: figure('Webhooks that a receiver acknowledged.'),
    attempts_failed: figure('Attempts to deliver a webhook that failed.'),
  })
  .meta({ id: 'ChartDay' });

export const chartsSchema = z
  .object({
    object: z.literal('charts'),
    days: z.array(day).meta({ description: 'Sums of closed hours, the oldest day first, without gaps.' }),
    until: timestamp.nullable().meta({ description: 'Up to when hours are counted; null before the first one.' }),
  })
  .meta({ id: 'Charts' });
export type ChartsObject = z.infer<typeof chartsSchema>;

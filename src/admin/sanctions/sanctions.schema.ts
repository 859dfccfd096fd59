import { z } from 'zod';
import { NETWORKS } from '../../domain/network.js';
import { amountSchema } from '../amount.js';
import { timestamp } from '../deliveries/deliveries.schema.js';

const list = z
  .object({
    id: z.string(),
    source: z.string(),
    published_on: z.string().meta({ description: 'Date of the publisher.' }),
    addresses: z.int(),
    imported_at: timestamp,
  })
  .meta({ id: 'SanctionsImport' });

const current = z
  .object({
    source: z.string(),
    published_on: z.string(),
    age_days: z.int().meta({ description: 'Since its publication.' }),
    is_stale: z.boolean().meta({ description: 'Older than 30 days: it was not kept up to date.' }),
    imported_at: timestamp,
    addresses: z
      .object({ evm: z.int(), tron: z.int(), solana: z.int(), other: z.int() })
      .meta({ description: 'Listed addresses by family.' }),
    removed: z.int().meta({ description: 'Listings that ended because a later list no longer had the address.' }),
  })
  .meta({ id: 'SanctionsList' });

const refusal = z
  .object({
    id: z.string().meta({ description: 'The deposit.' }),
    network: z.enum(NETWORKS),
    token: z.string(),
    amount: amountSchema.nullable().meta({ description: 'Null for a token that is not listed.' }),
    sender: z.string().nullable(),
    listed_as: z.string().nullable().meta({ description: 'The name on the list.' }),
    payment_intent_id: z.string().nullable(),
    state: z.enum(['frozen', 'kept', 'returning', 'released']).meta({ description: 'Where its money is now.' }),
    at: timestamp.meta({ description: 'When it became final.' }),
  })
  .meta({ id: 'SanctionedDeposit' });

export const sanctionsSchema = z
  .object({
    object: z.literal('sanctions'),
    current: current.nullable().meta({ description: 'Null: there is no list, and nothing is paid out.' }),
    imports: z.array(list).meta({ description: 'The newest ten, the current list first.' }),
    refusals: z.array(refusal).meta({ description: 'The newest 20 payments of listed senders.' }),
    commands: z.array(z.string()),
  })
  .meta({ id: 'Sanctions' });
export type SanctionsObject = z.infer<typeof sanctionsSchema>;

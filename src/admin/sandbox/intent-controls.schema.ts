import { z } from 'zod';
import { NETWORKS } from '../../domain/network.js';
import { bodyOf, safeText } from '../../http/request-schema.js';
import { SANDBOX_CONTROLS } from '../../sandbox/controls/control-list.js';

/** Blocks that one request makes, at most: each of them puts the clock of its chain forward. */
const BLOCKS_MAX = 20;
const PLANNED = ['exact', 'under', 'over', 'late'] as const;

export const payIntentBody = bodyOf({
  payment: z.enum([...PLANNED, 'custom']).meta({
    description:
      '`exact` pays what is missing, `under` half of it, `over` half of the price more. `late` lets the intent expire first. ' +
      '`custom` pays an amount of a token, which may be another one than that of the intent.',
  }),
  amount: safeText({ min: 1, max: 100 })
    .optional()
    .meta({ description: 'For `custom`: decimal amount of the token.', examples: ['12.5'] }),
  token: safeText({ min: 1, max: 32 }).optional().meta({ description: 'For `custom`: symbol of the token or coin.' }),
})
  .refine(({ payment, amount }) => payment !== 'custom' || amount !== undefined, {
    path: ['amount'],
    error: 'A custom payment needs an amount.',
  })
  .refine(({ payment, token }) => payment !== 'custom' || token !== undefined, {
    path: ['token'],
    error: 'A custom payment needs a token.',
  })
  .refine(({ payment, amount, token }) => payment === 'custom' || (amount === undefined && token === undefined), {
    path: ['payment'],
    error: 'Only a custom payment names an amount and a token.',
  })
  .meta({ id: 'PayIntentBody' });
export type PayIntentBody = z.infer<typeof payIntentBody>;

export const reorgIntentBody = bodyOf({
  returns: z.boolean().meta({ description: 'Whether the payment comes back in a later block.' }),
}).meta({ id: 'ReorgIntentBody' });
export type ReorgIntentBody = z.infer<typeof reorgIntentBody>;

export const mineBlocksBody = bodyOf({
  blocks: z.int().min(1).max(BLOCKS_MAX).meta({ description: 'How many blocks to make at once.' }),
}).meta({ id: 'MineBlocksBody' });
export type MineBlocksBody = z.infer<typeof mineBlocksBody>;

const control = z
  .object({
    name: z.enum(SANDBOX_CONTROLS).meta({ description: 'What it does.' }),
    amount_decimal: z.string().nullable().meta({
      description: "What it pays of the intent's token; null where it pays nothing, or an amount of your choice.",
    }),
    unavailable: z
      .string()
      .nullable()
      .meta({ description: 'Why it cannot be done now, as a sentence; null where it can.' }),
  })
  .meta({ id: 'SandboxControl' });

const order = z
  .object({
    id: z.string().meta({ description: 'Identifier of the order to pay, `ord_...`.' }),
    token: z.string().meta({ description: 'Symbol of the token or coin.' }),
    amount_decimal: z.string().meta({ description: 'The amount with its decimal point.' }),
    status: z.enum(['queued', 'signed', 'sent', 'final', 'failed']).meta({
      description: '`sent`: the chain has the transaction. `final`: it is final. `failed`: it never will be.',
    }),
    failure: z.string().nullable().meta({ description: 'Why it failed.' }),
    transaction_hash: z.string().nullable().meta({ description: 'The transaction, once it is signed.' }),
    created_at: z.iso.datetime({ precision: 3 }).meta({ description: 'When it was ordered.' }),
  })
  .meta({ id: 'SandboxOrder' });

export const intentControlsSchema = z
  .object({
    object: z.literal('intent_controls').meta({ description: 'Always `intent_controls`.' }),
    payment_intent_id: z.string().meta({ description: 'The intent.' }),
    network: z.enum(NETWORKS).meta({ description: 'Its chain.' }),
    token: z.string().meta({ description: 'Its token.' }),
    tokens: z.array(z.string()).meta({ description: 'Symbols of the tokens and the coin that its chain can pay.' }),
    controls: z.array(control).meta({ description: 'What can be made to happen.' }),
    orders: z.array(order).meta({ description: 'The newest payments that were ordered, the newest first.' }),
  })
  .meta({ id: 'IntentControls' });
export type IntentControlsObject = z.infer<typeof intentControlsSchema>;

import { z } from 'zod';
import { ENVIRONMENTS, NETWORKS } from '../domain/network.js';
import { FAILURE_CODES, FEE_STRATEGIES, WITHDRAWAL_STATUSES } from '../domain/withdrawal.js';
import { LIST_QUERY, listPageSchema } from '../http/pagination.js';
import { bodyOf, queryOf, safeText, timestampText } from '../http/request-schema.js';

/** Body of POST /v1/withdrawals (spec 4.6; additions: api.md 3). */
export const createWithdrawalBody = bodyOf({
  pocket_id: safeText({ min: 1, max: 64 }).meta({ description: 'The pocket to pay from.' }),
  amount_cents: z.int().min(1).meta({
    description: "Amount to pay out, in minor units of the pocket's coin: 100 = 1 USDC, 100000000 = 1 ETH.",
  }),
  destination: safeText({ min: 1, max: 128 }).meta({
    description: "On-chain address on the pocket's network. Check it twice: what is paid out cannot be taken back.",
  }),
  // Not `default`: clients generated from the document would have to send what has one.
  fee_strategy: z
    .enum(FEE_STRATEGIES)
    .optional()
    .transform((given) => given ?? 'standard')
    .meta({ description: '`standard` when left out; `fast` tips more, for a place in an earlier block.' }),
  reference: safeText({ max: 255 }).optional().meta({ description: 'Your own reference, echoed in the webhook.' }),
  dry_run: z
    .boolean()
    .optional()
    .meta({ description: 'Only tells the fee and every check that fails; nothing is changed.' }),
}).meta({ id: 'CreateWithdrawal' });
export type CreateWithdrawalBody = z.infer<typeof createWithdrawalBody>;

/** Query of GET /v1/withdrawals. */
export const listWithdrawalsQuery = queryOf({
  ...LIST_QUERY,
  status: z.enum(WITHDRAWAL_STATUSES).optional(),
  pocket_id: safeText({ min: 1, max: 64 }).optional().meta({ description: 'Only those of this pocket.' }),
  created_gte: timestampText().optional().meta({ description: 'Created at this moment or later.' }),
  created_lt: timestampText().optional().meta({ description: 'Created before this moment.' }),
});
export type ListWithdrawalsQuery = z.infer<typeof listWithdrawalsQuery>;

const minorUnits = z.int().min(0);
const timestamp = z.iso.datetime({ precision: 3 });

/** Spec 2.2, and what api.md 3 adds. */
export const withdrawalSchema = z
  .object({
    id: z.string(),
    object: z.literal('withdrawal'),
    merchant_id: z.string(),
    environment: z.enum(ENVIRONMENTS),
    status: z.enum(WITHDRAWAL_STATUSES).meta({
      description: '`broadcasting` from creation on, also while it waits; `completed` once its transaction is final.',
    }),
    pocket_id: z.string(),
    network: z.enum(NETWORKS),
    token: z.string(),
    amount_cents: minorUnits.meta({
      description: "What the destination receives, in minor units of the pocket's coin.",
    }),
    network_fee_cents: minorUnits.meta({
      description: 'Charged to the pocket on top of the amount; fixed at creation.',
    }),
    destination: z.string(),
    fee_strategy: z.enum(FEE_STRATEGIES),
    tx_hash: z.string().nullable().meta({ description: 'Null until the transaction is broadcast.' }),
    reference: z.string().nullable(),
    failure_code: z
      .enum(FAILURE_CODES)
      .nullable()
      .meta({ description: 'Set when failed: the money is back in the pocket.' }),
    failure_message: z.string().nullable(),
    created_at: timestamp,
    updated_at: timestamp,
    completed_at: timestamp.nullable(),
  })
  .meta({ id: 'Withdrawal' });
export type WithdrawalObject = z.infer<typeof withdrawalSchema>;

/** GET /v1/withdrawals. */
export const withdrawalListSchema = listPageSchema(withdrawalSchema, 'WithdrawalList');

/** Answer of POST /v1/withdrawals with `dry_run`. */
export const withdrawalPreviewSchema = z
  .object({
    object: z.literal('withdrawal_preview'),
    pocket_id: z.string(),
    amount_cents: minorUnits,
    network_fee_cents: minorUnits
      .nullable()
      .meta({ description: 'What the fee would be now; null while it cannot be told.' }),
    destination: z.string(),
    fee_strategy: z.enum(FEE_STRATEGIES),
    would_succeed: z.boolean(),
    failing_checks: z.array(
      z.object({ code: z.string(), param: z.string().nullable(), message: z.string() }).meta({ id: 'FailingCheck' }),
    ),
  })
  .meta({ id: 'WithdrawalPreview' });
export type WithdrawalPreviewObject = z.infer<typeof withdrawalPreviewSchema>;

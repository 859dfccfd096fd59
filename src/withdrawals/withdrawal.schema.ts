import { z } from 'zod';
import { ENVIRONMENTS, NETWORKS } from '../domain/network.js';
import { FEE_STRATEGIES } from '../domain/outgoing-payment.js';
import { FAILURE_CODES, WITHDRAWAL_STATUSES } from '../domain/withdrawal.js';
import { addressText, transactionHashText } from '../http/chain-text.js';
import { LIST_QUERY, listPageSchema } from '../http/pagination.js';
import { bodyOf, queryOf, safeText, timestampText } from '../http/request-schema.js';

/** Body of POST /v1/withdrawals (spec 4.6; `dry_run` is an addition). */
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
  dry_run: z.boolean().optional().meta({
    description:
      'True to learn the fee and every check that fails, without changing anything or asking the destination.',
  }),
}).meta({ id: 'CreateWithdrawal' });
export type CreateWithdrawalBody = z.infer<typeof createWithdrawalBody>;

/** Every status that the filter takes: `queued` is named by spec 2.2, though no withdrawal is ever in it. */
const STATUS_FILTERS = ['queued', ...WITHDRAWAL_STATUSES] as const;

/** Query of GET /v1/withdrawals. */
export const listWithdrawalsQuery = queryOf({
  ...LIST_QUERY,
  status: z.enum(STATUS_FILTERS).optional().meta({
    description: 'Only withdrawals in this status. No withdrawal is ever `queued`, so that page is empty.',
  }),
  pocket_id: safeText({ min: 1, max: 64 }).optional().meta({ description: 'Only those of this pocket.' }),
  reference: safeText({ max: 255 })
    .optional()
    .meta({ description: 'Only withdrawals with exactly this reference of yours.' }),
  destination: addressText().optional().meta({
    description: 'Only withdrawals to this address. The case of an EVM address does not matter.',
  }),
  tx_hash: transactionHashText().optional().meta({
    description: 'Only the withdrawal that this transaction pays. Every attempt that was signed for it counts.',
  }),
  created_gte: timestampText().optional().meta({ description: 'Created at this moment or later.' }),
  created_lt: timestampText().optional().meta({ description: 'Created before this moment.' }),
});
export type ListWithdrawalsQuery = z.infer<typeof listWithdrawalsQuery>;

const minorUnits = z.int().min(0);
const timestamp = z.iso.datetime({ precision: 3 });

/** The fields of spec 2.2, and a few more. */
export const withdrawalSchema = z
  .object({
    id: z.string().meta({ description: 'Identifier of the withdrawal, `wd_...`. Opaque.' }),
    object: z.literal('withdrawal').meta({ description: 'Always `withdrawal`.' }),
    merchant_id: z.string().meta({ description: 'The merchant that owns the withdrawal, `mer_...`.' }),
    environment: z.enum(ENVIRONMENTS).meta({ description: 'Environment of the key that created the withdrawal.' }),
    status: z.enum(WITHDRAWAL_STATUSES).meta({
      description: '`broadcasting` from creation on, also while it waits; `completed` once its transaction is final.',
    }),
    pocket_id: z.string().meta({ description: 'The pocket that pays, `pkt_...`.' }),
    network: z.enum(NETWORKS).meta({ description: 'Chain on which the withdrawal is paid.' }),
    token: z.string().meta({ description: 'Symbol of the token or coin that is paid.' }),
    amount_cents: minorUnits.meta({
      description: "What the destination receives, in minor units of the pocket's coin.",
    }),
    network_fee_cents: minorUnits.meta({
      description:
        "Charged to the pocket on top of the amount, in minor units of the pocket's coin; fixed at creation.",
    }),
    destination: z.string().meta({ description: 'On-chain address that is paid.' }),
    fee_strategy: z
      .enum(FEE_STRATEGIES)
      .meta({ description: 'How much is tipped for a place in an early block: `standard` or `fast`.' }),
    tx_hash: z
      .string()
      .nullable()
      .meta({ description: 'Hash of the transaction that pays. Null until it is broadcast.' }),
    reference: z
      .string()
      .nullable()
      .meta({ description: 'Your own reference from the creation; null when you gave none.' }),
    failure_code: z
      .enum(FAILURE_CODES)
      .nullable()
      .meta({
        description:
          'Why the withdrawal failed; null unless it did. Amount and fee are then back in the pocket. New values ' +
          'may be added.',
      }),
    failure_message: z
      .string()
      .nullable()
      .meta({ description: 'The failure in one sentence, for people. Null unless the withdrawal failed.' }),
    created_at: timestamp.meta({ description: 'When the withdrawal was created, ISO 8601 in UTC.' }),
    updated_at: timestamp.meta({ description: 'When the withdrawal last changed, ISO 8601 in UTC.' }),
    completed_at: timestamp
      .nullable()
      .meta({ description: 'When the withdrawal completed, ISO 8601 in UTC; null until then.' }),
  })
  .meta({ id: 'Withdrawal' });
export type WithdrawalObject = z.infer<typeof withdrawalSchema>;

/** GET /v1/withdrawals. */
export const withdrawalListSchema = listPageSchema(withdrawalSchema, 'WithdrawalList');

/** Answer of POST /v1/withdrawals with `dry_run`. */
export const withdrawalPreviewSchema = z
  .object({
    object: z.literal('withdrawal_preview').meta({ description: 'Always `withdrawal_preview`.' }),
    pocket_id: z.string().meta({ description: 'The pocket that would pay, `pkt_...`.' }),
    amount_cents: minorUnits.meta({
      description: "What the destination would receive, in minor units of the pocket's coin.",
    }),
    network_fee_cents: minorUnits.nullable().meta({
      description: "What the fee would be now, in minor units of the pocket's coin; null while it is not known.",
    }),
    destination: z.string().meta({ description: 'On-chain address that would be paid.' }),
    fee_strategy: z.enum(FEE_STRATEGIES).meta({ description: 'The fee strategy that was evaluated.' }),
    would_succeed: z.boolean().meta({ description: 'True when no check fails. The destination itself is not asked.' }),
    destination_simulated: z.literal(false).meta({
      description:
        'Always false: a dry run does not ask the destination. Whether it accepts the payment is simulated after the order, before anything is signed.',
    }),
    failing_checks: z
      .array(
        z
          .object({
            code: z.string().meta({ description: 'Error code that the withdrawal would be refused with.' }),
            param: z
              .string()
              .nullable()
              .meta({ description: 'The field of the request that the check is about; null when it is about none.' }),
            message: z.string().meta({ description: 'The refusal in one sentence.' }),
          })
          .meta({ id: 'FailingCheck' }),
      )
      .meta({
        description:
          'Every check that fails, in the order of their importance; empty when the withdrawal would be accepted.',
      }),
  })
  .meta({ id: 'WithdrawalPreview' });
export type WithdrawalPreviewObject = z.infer<typeof withdrawalPreviewSchema>;

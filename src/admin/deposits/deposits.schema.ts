import { z } from 'zod';
import { NETWORKS, ENVIRONMENTS } from '../../domain/network.js';
import { LIST_QUERY, listPageSchema } from '../../http/pagination.js';
import { bodyOf, queryOf, safeText } from '../../http/request-schema.js';
import { ACKNOWLEDGED_KINDS } from '../../payments/intents/acknowledgement.entity.js';
import { DECISION_KINDS } from '../../suspense/decision-queue.schema.js';
import { DEPOSIT_OFFERS } from '../../suspense/staff-deposit-state.js';
import { reason } from '../reason-body.js';
import { PAYMENT_PROGRESS } from '../withdrawals/withdrawals.schema.js';

const timestamp = z.iso.datetime({ precision: 3 });
const environment = z.enum(ENVIRONMENTS);
const network = z.enum(NETWORKS);

const decision = z
  .object({
    id: z.string().meta({ description: 'Of the deposit, or of the intent whose settlement is quarantined.' }),
    object: z.literal('decision'),
    kind: z.enum(DECISION_KINDS),
    environment,
    since: timestamp,
    deposit_id: z.string().nullable(),
    payment_intent_id: z.string().nullable(),
    merchant_id: z.string().nullable().meta({ description: 'The merchant of its address; null when that has none.' }),
    merchant_name: z.string().nullable(),
    network,
    token: z.string(),
    amount_decimal: z.string().nullable(),
    sentence: z.string().meta({ description: 'Why it waits, in words.' }),
  })
  .meta({ id: 'Decision' });
export type DecisionObject = z.infer<typeof decision>;
export const decisionListSchema = listPageSchema(decision, 'DecisionList');

const counts = {
  unattributed: z.int(),
  on_hold: z.int(),
  reorged: z.int(),
  quarantined: z.int(),
  kept: z.int(),
  refunding: z.int(),
} as const satisfies Readonly<Record<(typeof DECISION_KINDS)[number], z.ZodInt>>;
export const decisionCountsSchema = z
  .object({
    object: z.literal('decision_counts'),
    ...counts,
    approvals: z.int().meta({ description: 'Withdrawals that need an approval, which `listStaffWithdrawals` lists.' }),
  })
  .meta({ id: 'DecisionCounts' });
export type DecisionCountsObject = z.infer<typeof decisionCountsSchema>;

const heldAs = z.enum(['suspense', 'frozen', 'kept', 'returning']).nullable().meta({
  description: 'What its money is held as; null while it is not booked, and once it is in a pocket or was paid out.',
});

const MISMATCHES = ['other_network', 'other_token', 'address_not_assigned', 'after_the_end'] as const;
const MISMATCHED_FILTERS = {
  network: network.optional().meta({ description: 'Only deposits on this network.' }),
  late_acknowledged: z.boolean().optional().meta({
    description: 'Only late deposits that staff acknowledged, or only late ones that they did not.',
  }),
};
export const listMismatchedQuery = queryOf({ ...LIST_QUERY, ...MISMATCHED_FILTERS });
export type ListMismatchedQuery = z.infer<typeof listMismatchedQuery>;
export const exportMismatchedQuery = queryOf(MISMATCHED_FILTERS);
export type MismatchedFilter = z.infer<typeof exportMismatchedQuery>;

const mismatched = z
  .object({
    id: z.string(),
    object: z.literal('deposit'),
    environment,
    network,
    token: z.string(),
    amount_decimal: z.string(),
    status: z.enum(['pending', 'confirmed']),
    held_as: heldAs,
    reason: z.enum(MISMATCHES),
    explanation: z.string(),
    tx_hash: z.string().nullable(),
    address: z.string(),
    payment_intent_id: z.string().nullable(),
    merchant_id: z.string().nullable(),
    seen_at: timestamp,
  })
  .meta({ id: 'MismatchedDeposit' });
export type MismatchedDepositObject = z.infer<typeof mismatched>;
export const mismatchedListSchema = listPageSchema(mismatched, 'MismatchedDepositList');

const refund = z
  .object({
    id: z.string(),
    destination: z.string(),
    status: z.string(),
    standing: z.string().nullable().meta({ description: 'What it waits for, in words; null once it has ended.' }),
    failure: z.string().nullable().meta({ description: 'Why it failed, in words.' }),
    tx_hash: z.string().nullable(),
    ordered_at: timestamp,
    simulation: PAYMENT_PROGRESS.simulation,
    transaction: PAYMENT_PROGRESS.transaction,
    attempts: PAYMENT_PROGRESS.attempts,
  })
  .meta({ id: 'DepositRefund' });

/** A deposit as staff see it. */
export const staffDepositSchema = z
  .object({
    id: z.string(),
    object: z.literal('deposit'),
    environment,
    network,
    token: z.string(),
    amount_decimal: z.string(),
    status: z.enum(['seen', 'confirmed', 'orphaned']),
    held_as: heldAs,
    sentence: z.string().meta({ description: 'Where its money is, and why.' }),
    offers: z.array(z.enum(DEPOSIT_OFFERS)).meta({ description: 'What staff can do about it in the console.' }),
    commands: z.array(z.string()).meta({ description: 'Commands for what the console cannot do.' }),
    address: z.string(),
    from_address: z.string().nullable(),
    tx_hash: z.string().nullable(),
    block_number: z.int(),
    pays_intent: z
      .boolean()
      .meta({ description: 'Whether it counts for the intent; otherwise its address is that of one.' }),
    payment_intent_id: z.string().nullable(),
    merchant_id: z.string().nullable(),
    merchant_name: z.string().nullable(),
    seen_at: timestamp,
    booked_at: timestamp.nullable(),
    refund: refund.nullable().meta({ description: 'The newest refund.' }),
    decisions: PAYMENT_PROGRESS.decisions,
  })
  .meta({ id: 'StaffDeposit' });
export type StaffDepositObject = z.infer<typeof staffDepositSchema>;

export const creditDepositBody = bodyOf({
  merchant_id: safeText({ min: 1, max: 64 }).meta({ description: 'Whose pocket in this token gets it, `mer_...`.' }),
  reason,
}).meta({ id: 'CreditDeposit' });
export type CreditDepositBody = z.infer<typeof creditDepositBody>;

export const refundDepositBody = bodyOf({
  address: safeText({ min: 1, max: 128 }).meta({ description: 'Where the whole deposit is paid to, on its network.' }),
  reason,
}).meta({ id: 'RefundDeposit' });
export type RefundDepositBody = z.infer<typeof refundDepositBody>;

/** The answer to a retry of a settlement. */
export const retriedSchema = z
  .object({ object: z.literal('intent_retry'), payment_intent_id: z.string() })
  .meta({ id: 'IntentRetry' });
export type RetriedObject = z.infer<typeof retriedSchema>;

export const acknowledgeBody = bodyOf({
  kind: z
    .enum(ACKNOWLEDGED_KINDS)
    .meta({ description: 'An intent with too little or too much money, or a late deposit.' }),
  id: safeText({ min: 1, max: 64 }).meta({ description: 'Of the intent or the deposit.' }),
  note: safeText({ min: 1, max: 500 }).meta({
    description:
      'Why it is acknowledged. It is stored as the reason in the audit log; it is not a note of the payment.',
  }),
}).meta({ id: 'Acknowledge' });
export type AcknowledgeBody = z.infer<typeof acknowledgeBody>;

/** The answer to an acknowledgement. */
export const acknowledgedSchema = z
  .object({ object: z.literal('acknowledgement'), kind: z.enum(ACKNOWLEDGED_KINDS), id: z.string() })
  .meta({ id: 'Acknowledgement' });
export type AcknowledgedObject = z.infer<typeof acknowledgedSchema>;

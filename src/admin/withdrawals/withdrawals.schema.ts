import { z } from 'zod';
import { type Standing, STANDINGS } from '../../domain/outgoing-payment.js';
import { STAFF_STEPS } from '../../domain/withdrawal.js';
import { listPageSchema } from '../../http/pagination.js';
import { bodyOf } from '../../http/request-schema.js';
import { withdrawalSchema } from '../../withdrawals/withdrawal.schema.js';
import { reason } from '../reason-body.js';
import { freezesSchema } from './signing.schema.js';

const timestamp = z.iso.datetime({ precision: 3 });
const isStanding = (name: string): name is Standing => Object.hasOwn(STANDINGS, name);
const standings = Object.keys(STANDINGS).filter(isStanding);

/** A withdrawal in the list of staff. */
const staffWithdrawalSchema = withdrawalSchema
  .extend({
    merchant_name: z.string().meta({ description: 'The name of the merchant.' }),
    amount_decimal: z.string().meta({ description: 'The amount with its decimal point.' }),
    standing: z.enum(standings).nullable().meta({ description: 'What it waits for; null once it has ended.' }),
    waits_for: z.enum(STAFF_STEPS).nullable().meta({
      description: 'What staff must do before it is signed; null when nothing, or when it is signed or has ended.',
    }),
    sentence: z.string().meta({ description: 'Why it waits, or how it ended, in words.' }),
  })
  .meta({ id: 'StaffWithdrawal' });
export type StaffWithdrawalObject = z.infer<typeof staffWithdrawalSchema>;
export const staffWithdrawalListSchema = listPageSchema(staffWithdrawalSchema, 'StaffWithdrawalList');

const decision = z
  .object({
    at: timestamp,
    who: z.string().meta({ description: '`vault`, or who decided.' }),
    what: z.string(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'PaymentDecision' });

const attempt = z
  .object({ number: z.int(), tx_hash: z.string(), signed_at: timestamp })
  .meta({ id: 'PaymentAttempt', description: 'One signed version of the transaction.' });

const transaction = z
  .object({
    id: z.string(),
    status: z.string(),
    sender: z.string(),
    nonce: z.string().nullable().meta({ description: 'Null where the network has none.' }),
    signed_at: timestamp,
    broadcast_at: timestamp.nullable().meta({ description: 'Null until a node has accepted it.' }),
    replace_wanted_at: timestamp.nullable().meta({ description: 'Since when it waits for a higher fee.' }),
    mined_hash: z.string().nullable(),
    mined_height: z.string().nullable(),
  })
  .meta({ id: 'PaymentTransaction' });

/** What happened to an order on its way to the chain. */
export const PAYMENT_PROGRESS = {
  simulation: z
    .object({ outcome: z.string(), nodes: z.int(), block_height: z.string(), at: timestamp })
    .nullable()
    .meta({ id: 'PaymentSimulation', description: 'The newest simulation of the payment; null before the first.' }),
  transaction: transaction.nullable().meta({ description: 'Null before the first signature.' }),
  attempts: z.array(attempt).meta({ description: 'Every signed version, the first one first.' }),
  decisions: z.array(decision).meta({ description: 'What the vault and people decided, the oldest first.' }),
};

/** Everything that staff see of a withdrawal. */
export const staffWithdrawalDetailSchema = staffWithdrawalSchema
  .extend({
    fee_decimal: z.string().meta({ description: 'The fee with its decimal point.' }),
    offer: z.enum(['approve', 'unfreeze_network', 'unfreeze_merchant']).nullable().meta({
      description: 'What an administrator can do about what it waits for.',
    }),
    can_cancel: z.boolean().meta({ description: 'Whether it was never signed, and has not ended.' }),
    commands: z.array(z.string()).meta({ description: 'Commands for what the console cannot do.' }),
    similar_destinations: z.array(z.string()).meta({
      description: 'Other destinations of the merchant that look like this one: one of them may be meant.',
    }),
    approval: z
      .object({ approved_by: z.string(), approved_at: timestamp })
      .nullable()
      .meta({ id: 'WithdrawalApproval' }),
    frozen: z
      .object({
        network: z.string().nullable().meta({ description: 'Why nothing is signed on its network; null otherwise.' }),
        merchant: z
          .string()
          .nullable()
          .meta({ description: 'Why nothing is signed for its merchant; null otherwise.' }),
        freezes: freezesSchema,
      })
      .meta({ id: 'SigningFrozen' }),
    sweeps: z
      .array(
        z.object({ id: z.string(), expected_decimal: z.string(), progress: z.string() }).meta({ id: 'ExpectedSweep' }),
      )
      .meta({ description: 'While funds are missing: what brings some.' }),
    ...PAYMENT_PROGRESS,
  })
  .meta({ id: 'StaffWithdrawalDetail' });
export type StaffWithdrawalDetailObject = z.infer<typeof staffWithdrawalDetailSchema>;

export const approveWithdrawalBody = bodyOf({
  reason,
  look_alike_checked: z.boolean().optional().meta({
    description: 'The destination was compared, character by character, with those that look like it.',
  }),
}).meta({ id: 'ApproveWithdrawal' });
export type ApproveWithdrawalBody = z.infer<typeof approveWithdrawalBody>;

/** The answer to an approval. */
export const approvedWithdrawalSchema = z
  .object({
    object: z.literal('withdrawal_approval'),
    withdrawal_id: z.string(),
    approved_by: z.string(),
    approved_at: timestamp,
    already: z.boolean().meta({ description: 'Whether it was approved before: this call changed nothing.' }),
  })
  .meta({ id: 'ApprovedWithdrawal' });
export type ApprovedWithdrawalObject = z.infer<typeof approvedWithdrawalSchema>;

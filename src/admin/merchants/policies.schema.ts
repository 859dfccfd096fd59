import { z } from 'zod';
import { ENVIRONMENTS } from '../../domain/network.js';
import { bodyOf, safeText } from '../../http/request-schema.js';
import { NEW_DESTINATION_HOURS_MAX } from '../../withdrawals/policies/withdrawal-policy.entity.js';
import { reasonText } from './merchants.schema.js';

const COUNT_MAX = 999_999_999;

export const policySchema = z
  .object({
    object: z.literal('withdrawal_policy'),
    merchant_id: z.string(),
    environment: z.enum(ENVIRONMENTS),
    frozen_reason: z.string().nullable().meta({
      description: 'No withdrawal of the merchant is signed while there is one. Sweeps and refunds of deposits are.',
    }),
    daily_count: z.int().nullable().meta({ description: 'Withdrawals signed within 24 hours; null = no limit.' }),
    signed_today: z.int().meta({ description: 'How many were signed within the last 24 hours.' }),
    allow_list_only: z.boolean().meta({ description: 'Whether only `allowed` destinations are paid.' }),
    new_destination_hours: z
      .int()
      .nullable()
      .meta({ description: 'For how long nothing is signed for a new destination; null = it is paid at once.' }),
    allowed: z.array(z.string()).meta({ description: 'The allow-list, with checksums.' }),
    pockets: z
      .array(
        z.object({
          pocket_id: z.string(),
          network: z.string(),
          token: z.string(),
          daily_amount: z.string().nullable().meta({ description: 'The most that leaves it within 24 hours.' }),
          unapproved_amount: z
            .string()
            .nullable()
            .meta({ description: 'The most that one withdrawal pays without an approval.' }),
        }),
      )
      .meta({ description: 'The pockets with limits; amounts in whole tokens.' }),
  })
  .meta({ id: 'WithdrawalPolicy' });
export type PolicyObject = z.infer<typeof policySchema>;

export const tightenPolicyBody = bodyOf({
  daily_count: z.int().min(0).max(COUNT_MAX).optional().meta({ description: 'Less than now.' }),
  allow_list_only: z.literal(true).optional(),
  new_destination_hours: z
    .int()
    .min(1)
    .max(NEW_DESTINATION_HOURS_MAX)
    .optional()
    .meta({ description: 'More than now.' }),
  reason: reasonText(),
}).meta({ id: 'TightenPolicy' });
export type TightenPolicyBody = z.infer<typeof tightenPolicyBody>;

export const disallowBody = bodyOf({
  address: safeText({ min: 1, max: 128 }).meta({ description: 'The address that leaves the allow-list.' }),
  reason: reasonText(),
}).meta({ id: 'DisallowDestination' });
export type DisallowBody = z.infer<typeof disallowBody>;

const amount = () => safeText({ min: 1, max: 100 }).meta({ description: 'In whole tokens, decimal; less than now.' });
export const tightenPocketBody = bodyOf({
  pocket_id: safeText({ min: 1, max: 64 }),
  daily_amount: amount().optional(),
  unapproved_amount: amount().optional(),
  reason: reasonText(),
}).meta({ id: 'TightenPocket' });
export type TightenPocketBody = z.infer<typeof tightenPocketBody>;

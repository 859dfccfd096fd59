import { z } from 'zod';
import { withdrawalSchema } from '../../withdrawals/withdrawal.schema.js';

/** A withdrawal as staff see it. */
export const staffWithdrawalSchema = withdrawalSchema
  .extend({
    sentence: z.string().meta({ description: 'Why it waits, or how it ended, in words.' }),
    commands: z.array(z.string()).meta({ description: 'What a shell can do about it.' }),
    amount_decimal: z.string().meta({ description: 'The amount with its decimal point.' }),
  })
  .meta({ id: 'StaffWithdrawal' });
export type StaffWithdrawalObject = z.infer<typeof staffWithdrawalSchema>;

import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { Withdrawal } from '../withdrawal.entity.js';
import { WithdrawalApproval } from './withdrawal-approval.entity.js';
import { isApproved } from './withdrawal-rules.sql.js';

const withdrawal = table(Withdrawal);
const given = table(WithdrawalApproval, 'given');

/** Finds the approval of a withdrawal, and whether it is about the terms that the withdrawal has now. */
export const findApproval = (withdrawalId: string) => sql`
  select ${out(given, 'approvedBy', 'approvedAt')}, ${isApproved} ${as.boolean('isApproved')}
    from ${given} join ${withdrawal} on ${withdrawal.id} = ${given.withdrawalId} where ${withdrawal.id} = ${withdrawalId}`;

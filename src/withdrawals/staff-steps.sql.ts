import type { Environment } from '../domain/network.js';
import { as } from '../platform/sql/as.js';
import { sql } from '../platform/sql/sql.js';
import { table } from '../platform/sql/table.js';
import { HotWallet } from '../treasury/wallets/hot-wallet.entity.js';
import { WithdrawalPolicy } from './policies/withdrawal-policy.entity.js';
import { isApproved } from './policies/withdrawal-rules.sql.js';
import { Withdrawal } from './withdrawal.entity.js';

// What is not a whole statement is about one row of the table of withdrawals, which the surrounding statement reads
// without an alias.
const withdrawal = table(Withdrawal);
const rules = table(WithdrawalPolicy, 'rules');
const wallet = table(HotWallet, 'wallet');

// The index of withdrawals to sign has these very conditions: with a parameter the planner could not use it.
const isUnsigned = sql`${withdrawal.status} = 'broadcasting' and ${withdrawal.signedAt} is null`;

/** Whether it waits for an approval that it does not have yet. */
export const needsApproval = sql`
  ${isUnsigned} and ${withdrawal.waitingReason} = 'approval_missing' and not ${isApproved}`;

const isFrozen = sql`
  ((select ${rules.frozenReason} from ${rules}
     where ${rules.merchantId} = ${withdrawal.merchantId} and ${rules.environment} = ${withdrawal.environment}) is not null
   or (select ${wallet.frozenReason} from ${wallet} where ${wallet.chainRef} = ${withdrawal.chainRef}) is not null)`;

/** What staff must do before it is signed (`StaffStep`); null when nothing, or when it is signed or has ended. */
export const staffStep = sql`
  case when not (${isUnsigned}) then null when ${needsApproval} then 'approval' when ${isFrozen} then 'unfreezing' end`;

/** Counts the withdrawals of an environment that need an approval. */
export const countToApprove = (environment: Environment) => sql`
  select count(*)::int ${as.int('count')} from ${withdrawal}
   where ${needsApproval} and ${withdrawal.environment} = ${environment}`;

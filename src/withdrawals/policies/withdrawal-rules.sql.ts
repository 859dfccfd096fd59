import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { Withdrawal } from '../withdrawal.entity.js';
import { AllowedDestination } from './allowed-destination.entity.js';
import { ApprovalThreshold } from './approval-threshold.entity.js';
import { PocketLimit } from './pocket-limit.entity.js';
import { WithdrawalApproval } from './withdrawal-approval.entity.js';
import { WithdrawalPolicy } from './withdrawal-policy.entity.js';

// What is not a whole statement is about one row of the table of withdrawals, which the surrounding statement reads
// without an alias.
const withdrawal = table(Withdrawal);
const earlier = table(Withdrawal, 'earlier');
const signed = table(Withdrawal, 'signed');
const allowed = table(AllowedDestination, 'allowed');
const rule = table(WithdrawalPolicy, 'rule');
const approval = table(WithdrawalApproval, 'approval');
const policy = table(WithdrawalPolicy, 'policy');
const limits = table(PocketLimit, 'limits');
const threshold = table(ApprovalThreshold, 'threshold');

const ofAllowedDestination = sql`
  ${allowed.merchantId} = ${withdrawal.merchantId} and ${allowed.environment} = ${withdrawal.environment}
    and ${allowed.destinationKey} = ${withdrawal.destinationKey}`;

/**
 * When the destination stops being new to the merchant; null when no rule makes it wait. The time counts from the first
 * withdrawal to it, or from its entry on the allow-list. Failed withdrawals do not count: staff may have cancelled a theft.
 */
export const newUntil = sql`
  (select least(
            (select min(${earlier.createdAt}) from ${earlier}
              where ${earlier.merchantId} = ${withdrawal.merchantId} and ${earlier.environment} = ${withdrawal.environment}
                and ${earlier.destinationKey} = ${withdrawal.destinationKey} and ${earlier.status} <> 'failed'),
            (select ${allowed.createdAt} from ${allowed} where ${ofAllowedDestination}))
          + ${rule.newDestinationHours} * interval '1 hour'
     from ${rule}
    where ${rule.merchantId} = ${withdrawal.merchantId} and ${rule.environment} = ${withdrawal.environment}
      and ${rule.newDestinationHours} is not null)`;

/** Whether an operator approved exactly these terms. With `exists`, PostgreSQL may read all approvals instead of one. */
export const isApproved = sql`
  ((select true from ${approval}
     where ${approval.withdrawalId} = ${withdrawal.id}
       and (${approval.chainRef}, ${approval.tokenContract}, ${approval.amount}, ${approval.destinationKey})
         = (${withdrawal.chainRef}, ${withdrawal.tokenContract}, ${withdrawal.amount}, ${withdrawal.destinationKey})) is not null)`;

/** The start of its present wait, without the time that a rule held it: its signature, its release by a rule, or its order. */
export const waitingSince = sql`coalesce(${withdrawal.signedAt}, ${withdrawal.releasedAt}, ${withdrawal.createdAt})`;

/** Reads the state of each rule for these withdrawals, and how much of the daily limits is left for each of them alone. */
export const rulesOf = (ids: readonly string[]) => sql`
  select ${out(withdrawal, 'id')}, ${policy.frozenReason} is not null ${as.boolean('isFrozen')},
         not coalesce(${policy.allowListOnly}, false) or exists (
           select from ${allowed} where ${ofAllowedDestination}) ${as.boolean('isDestinationAllowed')},
         case when ${policy.dailyCount} is not null then ${policy.dailyCount} - (
           select count(*) from ${signed}
            where ${signed.merchantId} = ${withdrawal.merchantId} and ${signed.environment} = ${withdrawal.environment}
              and ${signed.signedAt} > now() - interval '24 hours')::int end ${as.intOrNull('countLeft')},
         case when ${limits.dailyAmount} is not null then ${limits.dailyAmount} - (
           select coalesce(sum(${signed.amount}), 0) from ${signed}
            where ${signed.pocketId} = ${withdrawal.pocketId} and ${signed.signedAt} > now() - interval '24 hours'
              and ${signed.status} <> 'failed') end ${as.digitsOrNull('amountLeft')},
         coalesce(${withdrawal.amount} > ${threshold.amount}, false) ${as.boolean('isAboveThreshold')},
         coalesce(${newUntil} > now(), false) ${as.boolean('isDestinationNew')},
         ${isApproved} ${as.boolean('isApproved')}
    from ${withdrawal}
    left join ${policy}
      on ${policy.merchantId} = ${withdrawal.merchantId} and ${policy.environment} = ${withdrawal.environment}
    left join ${limits} on ${limits.pocketId} = ${withdrawal.pocketId}
    left join ${threshold} on ${threshold.pocketId} = ${withdrawal.pocketId}
   where ${withdrawal.id} = any(${ids})`;

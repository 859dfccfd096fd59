import { Merchant } from '../../auth/merchant.entity.js';
import type { Tenant } from '../../domain/tenant.js';
import { Pocket } from '../../ledger/pocket.entity.js';
import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { columns, out, set, table, values } from '../../platform/sql/table.js';
import { Withdrawal } from '../withdrawal.entity.js';
import { AllowedDestination } from './allowed-destination.entity.js';
import { ApprovalThreshold } from './approval-threshold.entity.js';
import { PocketLimit } from './pocket-limit.entity.js';
import { WithdrawalPolicy } from './withdrawal-policy.entity.js';

const merchant = table(Merchant);
const policy = table(WithdrawalPolicy);
const withdrawal = table(Withdrawal);
const pocket = table(Pocket);
const allowed = table(AllowedDestination);
const limits = table(PocketLimit);
const threshold = table(ApprovalThreshold);

/** A destination in the allow-list of a tenant. */
type AllowedKey = Pick<AllowedDestination, 'merchantId' | 'environment' | 'destinationKey'>;

/** Finds a merchant's policy with the count of withdrawals that were signed within 24 hours; nulls when it has no policy. */
export const findPolicy = ({ merchantId, environment }: Tenant) => sql`
  select ${policy.frozenReason.as('frozenReason')}, ${policy.dailyCount.as('dailyCount')},
         ${policy.allowListOnly.asOrNull('allowListOnly')}, ${policy.newDestinationHours.as('newDestinationHours')},
         (select count(*)::int from ${withdrawal}
           where ${withdrawal.merchantId} = ${merchantId} and ${withdrawal.environment} = ${environment}
             and ${withdrawal.signedAt} > now() - interval '24 hours') ${as.int('signedToday')}
    from ${merchant}
    left join ${policy} on ${policy.merchantId} = ${merchant.id} and ${policy.environment} = ${environment}
   where ${merchant.id} = ${merchantId}`;

/** Reads the rules of those pockets of a tenant that have any. */
export const pocketRules = ({ merchantId, environment }: Tenant) => sql`
  select ${out(pocket, 'id', 'network', 'token', 'tokenDecimals')},
         ${limits.dailyAmount.asOrNull('daily')}, ${threshold.amount.asOrNull('unapproved')}
    from ${pocket}
    left join ${limits} on ${limits.pocketId} = ${pocket.id}
    left join ${threshold} on ${threshold.pocketId} = ${pocket.id}
   where ${pocket.merchantId} = ${merchantId} and ${pocket.environment} = ${environment}
     and coalesce(${limits.pocketId}, ${threshold.pocketId}) is not null
   order by ${pocket.network}, ${pocket.token}`;

/** Adds an address to an allow-list. Returns no row if it is there already. */
export const addDestination = (entry: AllowedKey) => sql`
  insert into ${allowed} ${values(allowed, entry)} on conflict do nothing returning ${out(allowed, 'destinationKey')}`;

/** Removes an address from an allow-list. Returns no row if it is not there. */
export const removeDestination = ({ merchantId, environment, destinationKey }: AllowedKey) => sql`
  delete from ${allowed}
   where ${allowed.merchantId} = ${merchantId} and ${allowed.environment} = ${environment}
     and ${allowed.destinationKey} = ${destinationKey}
  returning ${out(allowed, 'destinationKey')}`;

/** Inserts or changes the daily limit of a pocket, in smallest units. */
export const setPocketLimit = (pocketId: string, dailyAmount: bigint) => sql`
  insert into ${limits} ${values(limits, { pocketId, dailyAmount })}
  on conflict ${columns(limits, 'pocketId')} do update set ${set(limits, { dailyAmount, updatedAt: sql`now()` })}`;

/** Inserts or changes the most that one withdrawal from a pocket may pay without an approval, in smallest units. */
export const setApprovalThreshold = (pocketId: string, amount: bigint) => sql`
  insert into ${threshold} ${values(threshold, { pocketId, amount })}
  on conflict ${columns(threshold, 'pocketId')} do update set ${set(threshold, { amount, updatedAt: sql`now()` })}`;

import { Merchant } from '../../auth/merchant.entity.js';
import type { Tenant } from '../../domain/tenant.js';
import { given, unnest } from '../../platform/sql/given.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { columns, out, set, table } from '../../platform/sql/table.js';
import { WithdrawalPolicy } from './withdrawal-policy.entity.js';

const policy = table(WithdrawalPolicy);
const merchant = table(Merchant);
const owner = given('owner', { merchantId: 'text', environment: 'text' });

/** Locks the policies of tenants, always in the same order, so that two signers never deadlock. */
export const lockPoliciesOf = (tenants: readonly Tenant[]) => sql`
  select ${out(policy, 'merchantId', 'frozenReason')} from ${policy}
   where (${policy.merchantId}, ${policy.environment})
      in (select ${owner.merchantId}, ${owner.environment} from ${unnest(owner, tenants)})
   order by ${policy.merchantId}, ${policy.environment} for no key update`;

/** Inserts policies without limits for those tenants that have none. */
export const insertPolicies = (tenants: readonly Tenant[]) => sql`
  insert into ${policy} ${columns(policy, 'merchantId', 'environment')}
  select ${merchant.id}, ${owner.environment} from ${unnest(owner, tenants)}
    join ${merchant} on ${merchant.id} = ${owner.merchantId} order by 1, 2
  on conflict do nothing`;

/** What may change in a policy. Absent fields keep their values. */
type PolicyChange = Partial<
  Pick<WithdrawalPolicy, 'frozenReason' | 'dailyCount' | 'allowListOnly' | 'newDestinationHours'>
>;

/** Changes the policy of a tenant. */
export const changePolicy = (
  { merchantId, environment }: Tenant,
  {
    frozenReason = policy.frozenReason,
    dailyCount = policy.dailyCount,
    allowListOnly = policy.allowListOnly,
    newDestinationHours = policy.newDestinationHours,
  }: { readonly [Field in keyof PolicyChange]: PolicyChange[Field] | SqlText },
) => sql`
  update ${policy}
     set ${set(policy, { frozenReason, dailyCount, allowListOnly, newDestinationHours, updatedAt: sql`now()` })}
   where ${policy.merchantId} = ${merchantId} and ${policy.environment} = ${environment}`;

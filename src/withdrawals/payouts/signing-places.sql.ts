import { Merchant } from '../../auth/merchant.entity.js';
import type { Environment } from '../../domain/network.js';
import { Chain } from '../../offers/chain.entity.js';
import { AuditEntry } from '../../platform/audit-entry.entity.js';
import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { HotWallet } from '../../treasury/wallets/hot-wallet.entity.js';
import { WithdrawalPolicy } from '../policies/withdrawal-policy.entity.js';

const wallet = table(HotWallet);
const chain = table(Chain);
const policy = table(WithdrawalPolicy);
const merchant = table(Merchant);
// `freeze` is a word of PostgreSQL.
const freeze = table(AuditEntry, 'freezing');
const unfreeze = table(AuditEntry, 'unfreezing');

/**
 * Reads every network with a hot wallet, and every merchant that is frozen, of an environment, with the subject of its
 * freezes in the audit log.
 */
export const signingPlaces = (environment: Environment) => sql`
  select 'network' ${as.textOf<'network' | 'merchant'>()('kind')}, ${chain.network} ${as.text('id')},
         ${chain.network} ${as.text('name')}, ${wallet.frozenReason} ${as.textOrNull('frozenReason')},
         ${wallet.chainRef} ${as.text('subject')}
    from ${wallet} join ${chain} on ${chain.id} = ${wallet.chainRef} and ${chain.active}
   where ${chain.environment} = ${environment}
   union all
  select 'merchant', ${merchant.id}, ${merchant.name}, ${policy.frozenReason}, ${merchant.id} || '/' || ${policy.environment}
    from ${policy} join ${merchant} on ${merchant.id} = ${policy.merchantId}
   where ${policy.environment} = ${environment} and ${policy.frozenReason} is not null
   order by 1 desc, 3`;

/** Reads the audited freezes of places since they were last unfrozen, the oldest first. */
export const freezesOf = (subjects: readonly string[]) => sql`
  select ${out(freeze, 'subject', 'actor', 'reason', 'createdAt')} from ${freeze}
   where ${freeze.subject} = any(${subjects}) and ${freeze.action} = 'signing.freeze'
     and not exists (
       select from ${unfreeze}
        where ${unfreeze.subject} = ${freeze.subject} and ${unfreeze.action} = 'signing.unfreeze'
          and ${unfreeze.id} > ${freeze.id})
   order by ${freeze.id}`;

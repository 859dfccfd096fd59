import { Merchant } from '../../auth/merchant.entity.js';
import type { Environment } from '../../domain/network.js';
import { Chain } from '../../offers/chain.entity.js';
import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { table } from '../../platform/sql/table.js';
import { HotWallet } from '../../treasury/wallets/hot-wallet.entity.js';
import { WithdrawalPolicy } from '../policies/withdrawal-policy.entity.js';

const wallet = table(HotWallet);
const chain = table(Chain);
const policy = table(WithdrawalPolicy);
const merchant = table(Merchant);

/** Reads every network with a hot wallet, and every merchant that is frozen, of an environment. */
export const signingPlaces = (environment: Environment) => sql`
  select 'network' ${as.textOf<'network' | 'merchant'>()('kind')}, ${chain.network} ${as.text('id')},
         ${chain.network} ${as.text('name')}, ${wallet.frozenReason} ${as.textOrNull('frozenReason')}
    from ${wallet} join ${chain} on ${chain.id} = ${wallet.chainRef} and ${chain.active}
   where ${chain.environment} = ${environment}
   union all
  select 'merchant', ${merchant.id}, ${merchant.name}, ${policy.frozenReason}
    from ${policy} join ${merchant} on ${merchant.id} = ${policy.merchantId}
   where ${policy.environment} = ${environment} and ${policy.frozenReason} is not null
   order by 1 desc, 3`;

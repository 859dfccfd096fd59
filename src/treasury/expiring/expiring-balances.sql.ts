import type { AddressFamily } from '../../domain/network.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { ChainToken } from '../../offers/chain-token.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { payment, unsignedPayments } from '../transactions/payment-tables.sql.js';
import { HotBalance } from '../wallets/hot-balance.entity.js';
import { HotWallet } from '../wallets/hot-wallet.entity.js';
import type { ConditionAges } from './payment-conditions.sql.js';

const wallet = table(HotWallet);
const balance = table(HotBalance);
const chain = table(Chain);
const token = table(ChainToken);

/** Finds the hot wallets of chain families with a balance that is missing or too old, and the tokens to read. */
export const agedWallets = (families: readonly AddressFamily[], { busy, idle }: ConditionAges) => sql`
  select ${out(wallet, 'chainRef', 'addressKey')},
         array(select ${token.contract} from ${token}
                where ${token.chainRef} = ${wallet.chainRef} and ${token.enabled} and ${token.contract} <> ${NATIVE_COIN}
                order by ${token.contract}) ${as.texts('tokens')},
         coalesce((select max(${balance.height}) from ${balance} where ${balance.chainRef} = ${wallet.chainRef}), 0)
           ${as.digits('since')}
    from ${wallet} join ${chain} on ${chain.id} = ${wallet.chainRef} and ${chain.active}
   where ${chain.family} = any(${families}) and exists (
     select from ${token}
       left join ${balance} on ${balance.chainRef} = ${token.chainRef} and ${balance.tokenContract} = ${token.contract}
      where ${token.chainRef} = ${wallet.chainRef} and (${token.enabled} or ${token.contract} = ${NATIVE_COIN})
        and (${balance.takenAt} is null or ${balance.takenAt} < clock_timestamp() - make_interval(secs =>
             case when exists (select from ${unsignedPayments} where ${payment.chainRef} = ${wallet.chainRef})
                  then ${busy}::int else ${idle}::int end)))`;

import { Chain } from '../offers/chain.entity.js';
import { as } from '../platform/sql/as.js';
import { define, subselect } from '../platform/sql/relation.js';
import { sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import { SweepContract } from '../treasury/sweeps/sweep-contract.entity.js';
import { Sweep } from '../treasury/sweeps/sweep.entity.js';
import { payment, unsignedPayments } from '../treasury/transactions/payment-tables.sql.js';
import { HotWallet } from '../treasury/wallets/hot-wallet.entity.js';

const wallet = table(HotWallet);
const chain = table(Chain);
const sweep = table(Sweep);
const contract = table(SweepContract);

const withoutGas = sql`
  select ${out(sweep, 'chainRef')} from ${sweep} where ${sweep.finishedAt} is null and ${sweep.waitingReason} = 'gas_missing'
   union all
  select ${contract.chainRef} from ${contract}
   where ${contract.readyAt} is null and ${contract.abandonedAt} is null and ${contract.waitingReason} = 'gas_missing'`;
const waiting = subselect('waiting', withoutGas);

/** Finds what unsigned payments found missing, and the chains whose sweeps wait for gas. */
export const findShortages = sql`
  select ${out(chain, 'genesisHash')}, ${out(wallet, 'address')}, ${payment.tokenContract.as('token')},
         ${payment.waitingReason.asNotNull('reason')}, sum(${payment.amount}) ${as.digits('amount')}
    from ${unsignedPayments} join ${wallet} on ${wallet.chainRef} = ${payment.chainRef}
    join ${chain} on ${chain.id} = ${payment.chainRef}
   where ${payment.waitingReason} in ('coins_missing', 'gas_missing')
   group by ${chain.genesisHash}, ${wallet.address}, ${payment.tokenContract}, ${payment.waitingReason}
   union all
  select distinct ${chain.genesisHash}, ${wallet.address}, 'native', 'gas_missing', 0
    from ${define(waiting)}
    join ${wallet} on ${wallet.chainRef} = ${waiting.chainRef}
    join ${chain} on ${chain.id} = ${waiting.chainRef}`;

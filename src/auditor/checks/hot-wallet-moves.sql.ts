import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { table } from '../../platform/sql/table.js';
import { ReturnedRent } from '../../treasury/sweeps/expiring/returned-rent.entity.js';
import { SweepItem } from '../../treasury/sweeps/sweep-item.entity.js';
import { ChainTransaction } from '../../treasury/transactions/chain-transaction.entity.js';
import { LossItem } from '../../treasury/transactions/loss-item.entity.js';
import { Discrepancy } from '../../treasury/wallets/discrepancy.entity.js';
import { HotWallet } from '../../treasury/wallets/hot-wallet.entity.js';

const item = table(SweepItem);
const sent = table(ChainTransaction);
const loss = table(LossItem);
const rent = table(ReturnedRent);
const shortage = table(Discrepancy);
const wallet = table(HotWallet);

/** Selects the movements of hot wallets and their booked discrepancies, without top-ups, each with its block. */
export const hotWalletMoves = sql`
  select ${item.chainRef.as('chainRef')}, ${item.tokenContract} ${as.text('token')},
         ${item.swept.asNotNull('units')}, ${item.sweptHeight.as('height')}
    from ${item} where ${item.swept} > 0
   union all
  select ${sent.chainRef}, ${sent.tokenContract}, -${sent.amount}, ${sent.minedHeight}
    from ${sent} where ${sent.status} = 'succeeded' and ${sent.amount} > 0
   union all
  select ${rent.chainRef}, 'native', ${rent.amount}, ${rent.height} from ${rent}
   union all
  select ${loss.chainRef}, ${loss.tokenContract}, -${loss.amount}, ${loss.height} from ${loss}
   union all
  select ${sent.chainRef}, 'native', -${sent.feePaid}, ${sent.minedHeight}
    from ${sent} join ${wallet} on ${wallet.chainRef} = ${sent.chainRef} and ${wallet.addressKey} = ${sent.sender}
   where ${sent.feePaid} > 0
   union all
  select ${shortage.chainRef}, ${shortage.tokenContract}, -${shortage.amount}, ${shortage.height} from ${shortage}`;

import { as } from '../../platform/sql/as.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { ReturnedRent } from '../../treasury/sweeps/expiring/returned-rent.entity.js';
import { SweepItem } from '../../treasury/sweeps/sweep-item.entity.js';
import { ChainTransaction } from '../../treasury/transactions/chain-transaction.entity.js';
import { LossItem } from '../../treasury/transactions/loss-item.entity.js';
import { BalanceSnapshot } from '../../treasury/wallets/balance-snapshot.entity.js';
import { Discrepancy } from '../../treasury/wallets/discrepancy.entity.js';
import { HotWallet } from '../../treasury/wallets/hot-wallet.entity.js';
import { TopUp } from '../../treasury/wallets/top-up.entity.js';

const wallet = table(HotWallet);
const sent = table(ChainTransaction);
const loss = table(LossItem);
const item = table(SweepItem);
const rent = table(ReturnedRent);
const shortage = table(Discrepancy);
const topUp = table(TopUp);
const snapshot = table(BalanceSnapshot);

/** Finds the address of a chain's hot wallet. */
export const findWalletAddress = (chainRef: string) =>
  sql`select ${out(wallet, 'addressKey')} from ${wallet} where ${wallet.chainRef} = ${chainRef}`;

/**
 * Adds up what the books say of a hot wallet's balance of a token at a block: its finished transactions with their gas,
 * top-ups, sweeps with the rent that they returned, losses and booked discrepancies. `around` are the top-ups that a later comparison found.
 */
export function bookBalance(chainRef: string, token: string, height: number) {
  const isOf = (of: typeof loss | typeof item | typeof shortage | typeof topUp) =>
    sql`${of.chainRef} = ${chainRef} and ${of.tokenContract} = ${token}`;
  const ended = subselect(
    'ended',
    sql`select count(*) ${as.digits('times')},
               coalesce(sum(case when ${sent.status} = 'succeeded' and ${sent.tokenContract} = ${token}
                                 then ${sent.amount} else 0 end
                            + case when ${token} = 'native' then ${sent.feePaid} else 0 end), 0) ${as.digits('units')}
          from ${sent} join ${wallet} on ${wallet.chainRef} = ${sent.chainRef} and ${wallet.addressKey} = ${sent.sender}
         where ${sent.chainRef} = ${chainRef} and ${sent.minedHeight} <= ${height}`,
  );
  const lost = subselect(
    'lost',
    sql`select coalesce(sum(${loss.amount}), 0) ${as.digits('units')} from ${loss}
         where ${isOf(loss)} and ${loss.height} <= ${height}`,
  );
  const brought = subselect(
    'brought',
    sql`select coalesce(sum(${item.swept}), 0) ${as.digits('units')} from ${item}
         where ${isOf(item)} and ${item.sweptHeight} <= ${height}`,
  );
  const returned = subselect(
    'returned',
    sql`select coalesce(sum(${rent.amount}), 0) ${as.digits('units')} from ${rent}
         where ${rent.chainRef} = ${chainRef} and ${token} = 'native' and ${rent.height} <= ${height}`,
  );
  const lacked = subselect(
    'lacked',
    sql`select coalesce(sum(${shortage.amount}), 0) ${as.digits('units')} from ${shortage}
         where ${isOf(shortage)} and ${shortage.height} <= ${height}`,
  );
  const topped = subselect(
    'topped',
    sql`select coalesce(sum(${topUp.amount}) filter (where ${topUp.toHeight} <= ${height}), 0) ${as.digits('units')},
               coalesce(sum(${topUp.amount})
                        filter (where ${topUp.toHeight} > ${height} and ${topUp.fromHeight} < ${height}),
                        0) ${as.digits('around')}
          from ${topUp} where ${isOf(topUp)}`,
  );
  return sql`
    select ${ended.times.as('ended')},
           ${topped.units} + ${brought.units} + ${returned.units} - ${ended.units} - ${lost.units} - ${lacked.units} ${as.digits('units')},
           ${topped.around.as('around')},
           (select ${snapshot.bookedHeight} from ${snapshot}
             where ${snapshot.chainRef} = ${chainRef}
               and ${snapshot.tokenContract} = ${token}) ${as.digitsOrNull('comparedTo')}
      from ${define(ended)} cross join ${define(lost)} cross join ${define(brought)} cross join ${define(lacked)}
     cross join ${define(returned)} cross join ${define(topped)}`;
}

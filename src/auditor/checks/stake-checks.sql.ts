import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { table } from '../../platform/sql/table.js';
import { StakeOrder } from '../../treasury/stakes/stake-order.entity.js';
import { ChainTransaction } from '../../treasury/transactions/chain-transaction.entity.js';
import { statementCheck } from '../check.js';

const order = table(StakeOrder);
const sent = table(ChainTransaction, 'sent');

/** What hot wallets stake. */
export const STAKE_CHECKS = [
  statementCheck(
    'stakes_end_with_their_transactions',
    'An order to stake is pending exactly as long as its only transaction, and succeeds only if that did, by the coins that it ordered.',
    sql`
      select 'stake_order ' || ${order.id} ${as.text('row')},
             format('%s, and its transaction is %s',
                    case when ${order.finishedAt} is null then 'is under way' else 'has ended' end,
                    coalesce(${sent.status}, 'not there')) ${as.text('says')}
        from ${order}
        left join ${sent} on ${sent.purpose} = 'stake' and ${sent.purposeId} = ${order.id}
       where case when ${order.finishedAt} is null
                  then ${sent.status} <> 'signed' or (${sent.id} is null) <> (${order.signedAt} is null)
                  else ${sent.status} = 'signed' or ${order.succeeded} <> (${sent.status} is not distinct from 'succeeded') end
          or ${sent.value} <> case ${order.move} when 'stake' then ${order.amount} else 0 end
       order by ${order.id}`,
  ),
] as const;

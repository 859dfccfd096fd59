import { as } from '../../platform/sql/as.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { Refund } from '../../suspense/refunds/refund.entity.js';
import { ChainTransaction } from '../../treasury/transactions/chain-transaction.entity.js';
import { isNeverMined } from '../../treasury/transactions/never-mined.sql.js';
import { Withdrawal } from '../../withdrawals/withdrawal.entity.js';
import { type Check, statementCheck } from '../check.js';

const ORDERS = { withdrawal: table(Withdrawal, 'ordered'), deposit_return: table(Refund, 'ordered') };

/**
 * Returns the rule that an order is under way exactly as long as its transaction. Those that are never mined do not count:
 * their order waits unsigned, or was cancelled. An order that an older version ended with its superseded transaction is
 * failed and signed.
 */
export function endsWithTransaction(purpose: keyof typeof ORDERS, name: string, rule: string): Check {
  const { id, status, signedAt } = ORDERS[purpose];
  const sent = table(ChainTransaction, 'sent');
  const other = table(ChainTransaction, 'other');
  const dead = subselect(
    'dead',
    sql`select distinct ${out(other, 'purposeId', 'status')} from ${other}
         where ${other.purpose} = ${purpose} and ${isNeverMined(other)}`,
  );
  return statementCheck(
    name,
    rule,
    sql`
      select ${`${purpose} `} || ${id} ${as.text('row')},
             format('is %s and %s, and its transaction is %s', ${status},
                    case when ${signedAt} is null then 'unsigned' else 'signed' end,
                    coalesce(${sent.status}, ${dead.status}, 'not there')) ${as.text('says')}
        from ${ORDERS[purpose]}
        left join ${sent} on ${sent.purpose} = ${purpose} and ${sent.purposeId} = ${id} and not ${isNeverMined(sent)}
        left join ${define(dead)} on ${dead.purposeId} = ${id}
       where case when ${sent.id} is not null
                  then ${signedAt} is null or (${sent.status} = 'signed') <> (${status} = 'broadcasting')
                  else ${signedAt} is not null and (${dead.status} is null or ${status} <> 'failed') end
       order by ${id}`,
  );
}

import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { as } from '../../platform/sql/as.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { DepositBalance } from '../../treasury/sweeps/deposit-balance.entity.js';
import { SweepItem } from '../../treasury/sweeps/sweep-item.entity.js';
import { Sweep } from '../../treasury/sweeps/sweep.entity.js';
import { ChainTransaction } from '../../treasury/transactions/chain-transaction.entity.js';
import { isNeverMined } from '../../treasury/transactions/never-mined.sql.js';
import { statementCheck } from '../check.js';

const balance = table(DepositBalance, 'balance');
const deposit = table(Deposit);
const swept = table(SweepItem);
const item = table(SweepItem, 'item');
const sweep = table(Sweep);
const sent = table(ChainTransaction, 'sent');

function balancesOff() {
  const brought = subselect(
    'brought',
    sql`select ${out(deposit, 'chainRef', 'tokenContract', 'addressId')}, sum(${deposit.amount}) ${as.digits('total')}
          from ${deposit} where ${deposit.status} = 'confirmed'
         group by ${deposit.chainRef}, ${deposit.tokenContract}, ${deposit.addressId}`,
  );
  const taken = subselect(
    'taken',
    sql`select ${out(swept, 'chainRef', 'tokenContract', 'addressId')}, sum(${swept.swept}) ${as.digits('total')}
          from ${swept} where ${swept.swept} > 0
         group by ${swept.chainRef}, ${swept.tokenContract}, ${swept.addressId}`,
  );
  const chainRef = sql`coalesce(${balance.chainRef}, ${brought.chainRef})`;
  const token = sql`coalesce(${balance.tokenContract}, ${brought.tokenContract})`;
  const addressId = sql`coalesce(${balance.addressId}, ${brought.addressId})`;
  return sql`
    select format('deposit_balance %s/%s/%s', ${chainRef}, ${token}, ${addressId}) ${as.text('row')},
           format('has received %s and given %s; its deposits brought %s, and sweeps took %s', ${balance.received},
                  ${balance.swept}, coalesce(${brought.total}, 0), coalesce(${taken.total}, 0)) ${as.text('says')},
           abs(coalesce(${balance.received}, 0) - coalesce(${brought.total}, 0))
             + abs(coalesce(${balance.swept}, 0) - coalesce(${taken.total}, 0)) ${as.digits('gap')}
      from ${balance}
      full join ${define(brought)}
        on ${balance.chainRef} = ${brought.chainRef} and ${balance.tokenContract} = ${brought.tokenContract}
       and ${balance.addressId} = ${brought.addressId}
      left join ${define(taken)}
        on ${chainRef} = ${taken.chainRef} and ${token} = ${taken.tokenContract} and ${addressId} = ${taken.addressId}
     where ${balance.received} is distinct from coalesce(${brought.total}, 0)
        or ${balance.swept} is distinct from coalesce(${taken.total}, 0)
     order by ${chainRef}, ${token}, ${addressId}`;
}

function sweptTwice() {
  const open = subselect(
    'open_item',
    sql`select ${out(item, 'sweepId', 'chainRef', 'tokenContract', 'addressId')} from ${item} where ${item.swept} is null`,
  );
  const chainRef = sql`coalesce(${balance.chainRef}, ${open.chainRef})`;
  const token = sql`coalesce(${balance.tokenContract}, ${open.tokenContract})`;
  const addressId = sql`coalesce(${balance.addressId}, ${open.addressId})`;
  return sql`
    select format('deposit_balance %s/%s/%s', ${chainRef}, ${token}, ${addressId}) ${as.text('row')},
           format('names %s, and %s has not ended', coalesce(${balance.sweepId}, 'no sweep'),
                  coalesce(${open.sweepId}, 'none')) ${as.text('says')}
      from ${balance}
      full join ${define(open)}
        on ${balance.chainRef} = ${open.chainRef} and ${balance.tokenContract} = ${open.tokenContract}
       and ${balance.addressId} = ${open.addressId}
     where ${balance.sweepId} is distinct from ${open.sweepId} order by ${chainRef}, ${token}, ${addressId}`;
}

/** The balances of deposit addresses by the books, and the sweeps of them. */
export const SWEEP_CHECKS = [
  statementCheck(
    'deposit_balances_add_up',
    'The balance row of an address and a token equals its final deposits and its sweeps.',
    balancesOff(),
  ),
  statementCheck(
    'balances_are_swept_once',
    'A balance is in the one sweep that it names while that is pending, and in none otherwise.',
    sweptTwice(),
  ),
  statementCheck(
    'sweeps_end_with_their_transactions',
    'A sweep is pending exactly as long as its transaction, and moves funds only if that succeeded.',
    sql`
      select 'sweep ' || ${sweep.id} ${as.text('row')},
             format('%s, and its transaction is %s',
                    case when ${sweep.finishedAt} is null then 'is under way' else 'has ended' end,
                    coalesce(${sent.status}, 'not there')) ${as.text('says')}
        from ${sweep}
        left join ${sent}
          on ${sent.purpose} = 'sweep' and ${sent.purposeId} = ${sweep.id} and not ${isNeverMined(sent)}
       where case when ${sweep.finishedAt} is null
                  then ${sent.status} <> 'signed' or (${sent.id} is null) <> (${sweep.signedAt} is null)
                  else ${sent.status} = 'signed'
                    or exists (select from ${item} where ${item.sweepId} = ${sweep.id} and ${item.swept} is null)
                    or (${sent.status} is distinct from 'succeeded'
                        and exists (select from ${item} where ${item.sweepId} = ${sweep.id} and ${item.swept} > 0)) end
       order by ${sweep.id}`,
  ),
] as const;

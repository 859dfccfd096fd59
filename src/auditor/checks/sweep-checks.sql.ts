import { NATIVE_COIN } from '../../domain/network.js';
import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { as } from '../../platform/sql/as.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { join, sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { DepositBalance } from '../../treasury/sweeps/deposit-balance.entity.js';
import { Funding } from '../../treasury/sweeps/funding/funding.entity.js';
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
const funding = table(Funding, 'funding');
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
  const funded = subselect(
    'funded',
    sql`select ${out(funding, 'chainRef', 'addressId')}, sum(${funding.arrived}) ${as.digits('total')}
          from ${funding} where ${funding.arrived} > 0 group by ${funding.chainRef}, ${funding.addressId}`,
  );
  const burned = subselect(
    'burned',
    sql`select ${out(swept, 'chainRef', 'addressId')}, sum(${swept.burned}) ${as.digits('total')}
          from ${swept} where ${swept.burned} > 0 group by ${swept.chainRef}, ${swept.addressId}`,
  );
  const chainRef = sql`coalesce(${balance.chainRef}, ${brought.chainRef})`;
  const token = sql`coalesce(${balance.tokenContract}, ${brought.tokenContract})`;
  const addressId = sql`coalesce(${balance.addressId}, ${brought.addressId})`;
  const arrived = { deposits: sql`coalesce(${brought.total}, 0)`, fundings: sql`coalesce(${funded.total}, 0)` };
  const left = { sweeps: sql`coalesce(${taken.total}, 0)`, fees: sql`coalesce(${burned.total}, 0)` };
  const pairs = [
    { stored: balance.received, facts: arrived.deposits },
    { stored: balance.funded, facts: arrived.fundings },
    { stored: balance.swept, facts: left.sweeps },
    { stored: balance.burned, facts: left.fees },
  ];
  const gap = join(
    pairs.map(({ stored, facts }) => sql`abs(coalesce(${stored}, 0) - ${facts})`),
    ' + ',
  );
  const isOff = join(
    pairs.map(({ stored, facts }) => sql`${stored} is distinct from ${facts}`),
    ' or ',
  );
  const says = sql`
    format('has received %s and given %s; its deposits brought %s, and sweeps took %s',
           ${balance.received} + ${balance.funded}, ${balance.swept} + ${balance.burned},
           ${arrived.deposits} + ${arrived.fundings}, ${left.sweeps} + ${left.fees})`;
  return sql`
    select format('deposit_balance %s/%s/%s', ${chainRef}, ${token}, ${addressId}) ${as.text('row')},
           ${says} ${as.text('says')}, ${gap} ${as.digits('gap')}
      from ${balance}
      full join ${define(brought)}
        on ${balance.chainRef} = ${brought.chainRef} and ${balance.tokenContract} = ${brought.tokenContract}
       and ${balance.addressId} = ${brought.addressId}
      left join ${define(taken)}
        on ${chainRef} = ${taken.chainRef} and ${token} = ${taken.tokenContract} and ${addressId} = ${taken.addressId}
      left join ${define(funded)}
        on ${chainRef} = ${funded.chainRef} and ${token} = ${NATIVE_COIN} and ${addressId} = ${funded.addressId}
      left join ${define(burned)}
        on ${chainRef} = ${burned.chainRef} and ${token} = ${NATIVE_COIN} and ${addressId} = ${burned.addressId}
     where ${isOff}
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
    'The balance row of an address and a token equals its final deposits, its fundings and its sweeps.',
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
  statementCheck(
    'fundings_end_with_their_transactions',
    'A funding is pending exactly as long as its transaction, brings coins only if that succeeded, and its sweep waits for it.',
    sql`
      select 'funding ' || ${funding.id} ${as.text('row')},
             format('%s, and its transaction is %s',
                    case when ${funding.finishedAt} is null then 'is under way' else 'has ended' end,
                    coalesce(${sent.status}, 'not there')) ${as.text('says')}
        from ${funding}
        join ${sweep} on ${sweep.id} = ${funding.sweepId}
        left join ${sent}
          on ${sent.purpose} = 'funding' and ${sent.purposeId} = ${funding.id} and not ${isNeverMined(sent)}
       where case when ${funding.finishedAt} is null
                  then ${sent.status} <> 'signed' or (${sent.id} is null) <> (${funding.signedAt} is null)
                    or ${sweep.signedAt} is not null or ${sweep.finishedAt} is not null
                  else ${sent.status} = 'signed'
                    or (${funding.arrived} > 0) <> (${sent.status} is not distinct from 'succeeded') end
       order by ${funding.id}`,
  ),
  statementCheck(
    'sweeps_burn_their_fees',
    'What a sweep that its address pays for has burned there is the fee of its transaction.',
    sql`
      select 'sweep ' || ${swept.sweepId} ${as.text('row')},
             format('burned %s, and its transaction cost %s', coalesce(${swept.burned}, 0),
                    coalesce(${sent.feePaid}, 0)) ${as.text('says')}
        from ${swept}
        left join ${sent}
          on ${sent.purpose} = 'sweep' and ${sent.purposeId} = ${swept.sweepId} and not ${isNeverMined(sent)}
       where ${swept.costMax} is not null and coalesce(${swept.burned}, 0) <> coalesce(${sent.feePaid}, 0)
       order by ${swept.sweepId}`,
  ),
] as const;

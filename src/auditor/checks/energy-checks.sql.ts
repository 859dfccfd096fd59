import { Chain } from '../../offers/chain.entity.js';
import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { table } from '../../platform/sql/table.js';
import { EnergyLoan } from '../../treasury/sweeps/energy/energy-loan.entity.js';
import { EnergyReturn } from '../../treasury/sweeps/energy/energy-return.entity.js';
import { Sweep } from '../../treasury/sweeps/sweep.entity.js';
import { ChainTransaction } from '../../treasury/transactions/chain-transaction.entity.js';
import { isNeverMined } from '../../treasury/transactions/never-mined.sql.js';
import { statementCheck } from '../check.js';

const loan = table(EnergyLoan, 'loan');
const giving = table(EnergyReturn, 'giving');
const sweep = table(Sweep);
const chain = table(Chain);
const sent = table(ChainTransaction, 'sent');

/** The energy that hot wallets lend, and that comes back. */
export const ENERGY_CHECKS = [
  statementCheck(
    'loans_end_with_their_transactions',
    'A loan of energy is pending exactly as long as its transaction, lends only if that succeeded, and its sweep waits for it.',
    sql`
      select 'energy_loan ' || ${loan.id} ${as.text('row')},
             format('%s, and its transaction is %s',
                    case when ${loan.finishedAt} is null then 'is under way' else 'has ended' end,
                    coalesce(${sent.status}, 'not there')) ${as.text('says')}
        from ${loan}
        left join ${sweep} on ${sweep.id} = ${loan.sweepId}
        left join ${sent}
          on ${sent.purpose} = 'energy_loan' and ${sent.purposeId} = ${loan.id} and not ${isNeverMined(sent)}
       where case when ${loan.finishedAt} is null
                  then ${sent.status} <> 'signed' or (${sent.id} is null) <> (${loan.signedAt} is null)
                    or ${sweep.signedAt} is not null or ${sweep.finishedAt} is not null
                  else ${sent.status} = 'signed'
                    or (${loan.lent} > 0) <> (${sent.status} is not distinct from 'succeeded') end
       order by ${loan.id}`,
  ),
  statementCheck(
    'returns_end_with_their_transactions',
    'A return of energy is pending exactly as long as its transaction, and brings energy back only if that succeeded.',
    sql`
      select 'energy_return ' || ${giving.id} ${as.text('row')},
             format('%s, and its transaction is %s',
                    case when ${giving.finishedAt} is null then 'is under way' else 'has ended' end,
                    coalesce(${sent.status}, 'not there')) ${as.text('says')}
        from ${giving}
        left join ${sent}
          on ${sent.purpose} = 'energy_return' and ${sent.purposeId} = ${giving.id} and not ${isNeverMined(sent)}
       where case when ${giving.finishedAt} is null
                  then ${sent.status} <> 'signed' or (${sent.id} is null) <> (${giving.signedAt} is null)
                  else ${sent.status} = 'signed'
                    or (${giving.returned} > 0) <> (${sent.status} is not distinct from 'succeeded') end
       order by ${giving.id}`,
  ),
  statementCheck(
    'lent_energy_comes_back',
    'Energy that was lent has come back, or is ordered back, once its sweep has ended.',
    sql`
      select 'energy_loan ' || ${loan.id} ${as.text('row')},
             format('has lent the energy of %s, and nothing brings it back', ${loan.lent}) ${as.text('says')}
        from ${loan}
        join ${chain} on ${chain.id} = ${loan.chainRef} and ${chain.active}
        left join ${sweep} on ${sweep.id} = ${loan.sweepId}
       where ${loan.lent} > 0 and (${sweep.id} is null or ${sweep.finishedAt} is not null)
         and not exists (select from ${giving}
                          where ${giving.loanId} = ${loan.id} and ${giving.returned} is distinct from 0)
       order by ${loan.id}`,
  ),
] as const;

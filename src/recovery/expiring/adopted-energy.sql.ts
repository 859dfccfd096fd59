import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { out, set, table } from '../../platform/sql/table.js';
import { EnergyLoan } from '../../treasury/sweeps/energy/energy-loan.entity.js';
import { EnergyReturn } from '../../treasury/sweeps/energy/energy-return.entity.js';
import { Sweep } from '../../treasury/sweeps/sweep.entity.js';

const loan = table(EnergyLoan);
const giving = table(EnergyReturn);
const sweep = table(Sweep);

/** The stake whose energy an address has got. */
interface LentStake {
  readonly addressId: string;
  readonly stake: bigint;
}

/** Marks the loan of this stake to an address that waits for its transaction as signed, and returns its id. */
export const markLoanSigned = (chainRef: string, { addressId, stake }: LentStake) => sql`
  update ${loan} set ${set(loan, { signedAt: sql`now()`, waitingReason: null })}
   where ${loan.addressId} = ${addressId} and ${loan.chainRef} = ${chainRef} and ${loan.stake} = ${stake}
     and ${loan.finishedAt} is null and ${loan.signedAt} is null
  returning ${out(loan, 'id')}`;

/** Locks the oldest loan of this stake to an address that has not come back, with its sweep where that has not ended. */
export const lockReturnableLoan = (chainRef: string, { addressId, stake }: LentStake) => sql`
  select ${out(loan, 'id')}, ${sweep.id.asOrNull('sweepId')}, ${giving.id.asOrNull('returnId')},
         coalesce(${sweep.signedAt} is not null, false) ${as.boolean('isSweepSigned')},
         coalesce(${giving.signedAt} is not null, false) ${as.boolean('isReturnSigned')}
    from ${loan}
    left join ${sweep} on ${sweep.id} = ${loan.sweepId} and ${sweep.finishedAt} is null
    left join ${giving} on ${giving.loanId} = ${loan.id} and ${giving.returned} is distinct from 0
   where ${loan.addressId} = ${addressId} and ${loan.chainRef} = ${chainRef} and ${loan.lent} = ${stake}
     and ${giving.returned} is null
   order by ${loan.createdAt}, ${loan.id} limit 1 for no key update of ${loan}`;

/** Marks the unsigned return of a loan as signed, and returns its id. */
export const markReturnSigned = (loanId: string) => sql`
  update ${giving} set ${set(giving, { signedAt: sql`now()`, waitingReason: null })}
   where ${giving.loanId} = ${loanId} and ${giving.finishedAt} is null and ${giving.signedAt} is null
  returning ${out(giving, 'id')}`;

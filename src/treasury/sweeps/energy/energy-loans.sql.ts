import { Chain } from '../../../offers/chain.entity.js';
import { PoolAddress } from '../../../payments/addresses/pool-address.entity.js';
import { as } from '../../../platform/sql/as.js';
import { sql } from '../../../platform/sql/sql.js';
import { out, set, table, values } from '../../../platform/sql/table.js';
import { SweepItem } from '../sweep-item.entity.js';
import { EnergyLoan } from './energy-loan.entity.js';

const loan = table(EnergyLoan);
const chain = table(Chain);
const address = table(PoolAddress);
const item = table(SweepItem);

/** A sweep that failed with lent energy is paid for by its address, for so long. */
const paidAfterFailure = sql`interval '1 day'`;

/** Inserts the loan of a sweep, or one that was adopted as signed. */
export const insertLoan = (
  row: Pick<EnergyLoan, 'id' | 'sweepId' | 'chainRef' | 'addressId' | 'stake'>,
  isSigned: boolean,
) => sql`
  insert into ${loan} ${values(loan, { ...row, signedAt: sql`case when ${isSigned}::boolean then now() end` })}`;

/** Locks a loan, with the address that borrows: one of the chain's own environment and family alone. */
export const lockLoan = (id: string) => sql`
  select ${out(loan, 'chainRef', 'stake', 'sweepId', 'addressId')}, ${address.addressKey.as('borrower')},
         ${address.derivationIndex.as('index')}
    from ${loan}
    join ${chain} on ${chain.id} = ${loan.chainRef}
    join ${address} on ${address.id} = ${loan.addressId} and ${address.environment} = ${chain.environment}
                   and ${address.family} = ${chain.family}
   where ${loan.id} = ${id} for no key update of ${loan}`;

/** Ends a loan with the stake that was lent, at this height. */
export const endLoan = (id: string, lent: bigint, height: number) => sql`
  update ${loan}
     set ${set(loan, {
       lent,
       lentHeight: lent > 0n ? height : null,
       waitingReason: null,
       finishedAt: sql`now()`,
     })}
   where ${loan.id} = ${id}`;

/** Ends the open loans of sweeps that have ended: nothing will be lent. */
export const endLoansOf = (sweepIds: readonly string[]) => sql`
  update ${loan} set ${set(loan, { lent: 0n, waitingReason: null, finishedAt: sql`now()` })}
   where ${loan.sweepId} = any(${sweepIds}) and ${loan.finishedAt} is null`;

/** Finds the open loan of a sweep. */
export const findOpenLoanOf = (sweepId: string) => sql`
  select from ${loan} where ${loan.sweepId} = ${sweepId} and ${loan.finishedAt} is null`;

/** Finds the sweep of a loan. */
export const findSweepOf = (loanId: string) => sql`
  select ${out(loan, 'sweepId')} from ${loan} where ${loan.id} = ${loanId}`;

/** Which loans count beside those above a block. */
interface CountedLoans {
  readonly above: number;
  /** Whether those that are not signed yet count too. */
  readonly withUnsigned: boolean;
}

/** Sums the stake that is lent or about to be, and that a stake which was read at this block does not know as lent. */
export const lentAbove = (chainRef: string, { above, withUnsigned }: CountedLoans) => sql`
  select coalesce((select sum(${loan.stake}) from ${loan}
                    where ${loan.chainRef} = ${chainRef} and ${loan.finishedAt} is null
                      and (${withUnsigned}::boolean or ${loan.signedAt} is not null)), 0)
         + coalesce((select sum(${loan.lent}) from ${loan}
                      where ${loan.chainRef} = ${chainRef} and ${loan.lent} > 0 and ${loan.lentHeight} > ${above}), 0)
         ${as.digits('stake')}`;

/** Finds which of these addresses have had a loan lately whose sweep brought nothing. */
export const findFailedLately = (chainRef: string, addressIds: readonly string[]) => sql`
  select distinct ${loan.addressId.as('addressId')}
    from ${loan} join ${item} on ${item.sweepId} = ${loan.sweepId}
   where ${loan.addressId} = any(${addressIds}::bigint[]) and ${loan.chainRef} = ${chainRef}
     and ${loan.createdAt} > now() - ${paidAfterFailure} and ${item.swept} = 0`;

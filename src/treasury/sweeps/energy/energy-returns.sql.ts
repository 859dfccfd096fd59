import { Chain } from '../../../offers/chain.entity.js';
import { PoolAddress } from '../../../payments/addresses/pool-address.entity.js';
import { sql } from '../../../platform/sql/sql.js';
import { columns, out, set, table } from '../../../platform/sql/table.js';
import { EnergyLoan } from './energy-loan.entity.js';
import { EnergyReturn } from './energy-return.entity.js';

const loan = table(EnergyLoan);
const giving = table(EnergyReturn);
const chain = table(Chain);
const address = table(PoolAddress);

/** Finds the loans of ended sweeps whose energy is to come back. On a replaced chain there is none. */
export const findLentOf = (sweepIds: readonly string[]) => sql`
  select ${out(loan, 'id')} from ${loan} join ${chain} on ${chain.id} = ${loan.chainRef} and ${chain.active}
   where ${loan.sweepId} = any(${sweepIds}) and ${loan.lent} > 0
     and not exists (select from ${giving} where ${giving.loanId} = ${loan.id} and ${giving.returned} is distinct from 0)
   order by ${loan.id}`;

/** Inserts a return of everything that a loan lent; signed where it was adopted. */
export const insertReturn = (id: string, loanId: string, isSigned: boolean) => sql`
  insert into ${giving} ${columns(giving, 'id', 'loanId', 'chainRef', 'addressId', 'stake', 'signedAt')}
  select ${id}, ${loan.id}, ${loan.chainRef}, ${loan.addressId}, ${loan.lent}, case when ${isSigned}::boolean then now() end
    from ${loan} where ${loan.id} = ${loanId}`;

/** Locks a return, with the address that has the energy: one of the chain's own environment and family alone. */
export const lockReturn = (id: string) => sql`
  select ${out(giving, 'chainRef', 'stake', 'loanId')}, ${address.addressKey.as('borrower')},
         ${address.derivationIndex.as('index')}
    from ${giving}
    join ${chain} on ${chain.id} = ${giving.chainRef}
    join ${address} on ${address.id} = ${giving.addressId} and ${address.environment} = ${chain.environment}
                   and ${address.family} = ${chain.family}
   where ${giving.id} = ${id} for no key update of ${giving}`;

/** Marks a return as unsigned, so that it gets another transaction. */
export const markReturnUnsigned = (id: string) => sql`
  update ${giving} set ${set(giving, { signedAt: null, waitingReason: null })} where ${giving.id} = ${id}`;

/** Ends a return with the stake that came back, at this height. */
export const endReturn = (id: string, returned: bigint, height: number) => sql`
  update ${giving}
     set ${set(giving, {
       returned,
       returnedHeight: returned > 0n ? height : null,
       waitingReason: null,
       finishedAt: sql`now()`,
     })}
   where ${giving.id} = ${id}`;

/** Whether a return is open on a replaced chain. */
const isOnReplacedChain = sql`
  ${giving.finishedAt} is null and ${giving.chainRef} in (select ${chain.id} from ${chain} where not ${chain.active})`;

/** Whether there is such a return. */
export const hasReturnsOnReplacedChains = sql`exists (select from ${giving} where ${isOnReplacedChain})`;

/** Ends the open returns on replaced chains: there is nothing left to bring back. */
export const endReturnsOnReplacedChains = sql`
  update ${giving} set ${set(giving, { returned: 0n, waitingReason: null, finishedAt: sql`now()` })}
   where ${isOnReplacedChain}`;

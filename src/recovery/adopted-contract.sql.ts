import { sql } from '../platform/sql/sql.js';
import { out, set, table } from '../platform/sql/table.js';
import { SweepContract } from '../treasury/sweeps/sweep-contract.entity.js';

const contract = table(SweepContract);

/** Locks the contract in use with an address. */
export const lockContract = (chainRef: string, address: string) => sql`
  select ${out(contract, 'id')} from ${contract}
   where ${contract.chainRef} = ${chainRef} and ${contract.address} = ${address} and ${contract.abandonedAt} is null
     for no key update`;

/** Marks a contract as signed; one that was found on the chain stays as it is. */
export const markContractSigned = (id: string) => sql`
  update ${contract} set ${set(contract, { signedAt: sql`now()`, waitingReason: null })}
   where ${contract.id} = ${id} and ${contract.readyAt} is null`;

/** Marks a contract as unsigned, unless it is on the chain or abandoned. */
export const markContractUnsigned = (id: string) => sql`
  update ${contract} set ${set(contract, { signedAt: null, waitingReason: null })}
   where ${contract.id} = ${id} and ${contract.readyAt} is null and ${contract.abandonedAt} is null`;

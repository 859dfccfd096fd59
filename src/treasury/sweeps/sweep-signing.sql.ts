import { sql } from '../../platform/sql/sql.js';
import { set, type Table, table } from '../../platform/sql/table.js';
import type { TransactionPurpose } from '../transactions/transaction-order.js';
import type { WaitingTable } from '../transactions/waiting-orders.sql.js';
import { EnergyLoan } from './energy/energy-loan.entity.js';
import { EnergyReturn } from './energy/energy-return.entity.js';
import { StakeOrder } from '../stakes/stake-order.entity.js';
import { Funding } from './funding/funding.entity.js';
import { Sweep } from './sweep.entity.js';
import { SweepContract } from './sweep-contract.entity.js';

const sweep = table(Sweep);
const contract = table(SweepContract);
const funding = table(Funding);
const loan = table(EnergyLoan);
const giving = table(EnergyReturn);
const stake = table(StakeOrder);

/**
 * What is signed for sweeps, in the order of signing: what is lent comes back before more is lent, a sweep comes after what
 * its address needs, and a stake gets the rest.
 */
export const SWEEP_PURPOSES = [
  'contract',
  'funding',
  'energy_return',
  'energy_loan',
  'sweep',
  'stake',
] as const satisfies readonly TransactionPurpose[];
export type SweepPurpose = (typeof SWEEP_PURPOSES)[number];

/** Whether a contract is to be deployed, and whether a sweep or what belongs to it is to be signed. */
const isOpen = {
  contract: sql`
    ${contract.signedAt} is null and ${contract.readyAt} is null and ${contract.trouble} is null
    and ${contract.abandonedAt} is null`,
  sweep: sql`${sweep.signedAt} is null and ${sweep.finishedAt} is null`,
  funding: sql`${funding.signedAt} is null and ${funding.finishedAt} is null`,
  energy_loan: sql`${loan.signedAt} is null and ${loan.finishedAt} is null`,
  energy_return: sql`${giving.signedAt} is null and ${giving.finishedAt} is null`,
  stake: sql`${stake.signedAt} is null and ${stake.finishedAt} is null`,
};

const TABLES = { sweep, contract, funding, energy_loan: loan, energy_return: giving, stake };
const rowsOf = (
  purpose: SweepPurpose,
): Table<Pick<Sweep, 'id' | 'chainRef' | 'signedAt' | 'waitingReason' | 'createdAt'>> => TABLES[purpose];

/** Finds an order that is still to be signed. */
export function findOpen(purpose: SweepPurpose, id: string) {
  const order = rowsOf(purpose);
  return sql`select from ${order} where ${order.id} = ${id} and ${isOpen[purpose]}`;
}

/** Marks an order as signed. */
export function markSigned(purpose: SweepPurpose, id: string) {
  const order = rowsOf(purpose);
  return sql`
    update ${order} set ${set(order, { signedAt: sql`now()`, waitingReason: null })} where ${order.id} = ${id}`;
}

/** Describes the sweeps, what belongs to them, or the deployments of their contracts, that wait for a signature. */
export function waitingSweeps(purpose: SweepPurpose): WaitingTable {
  const rows = rowsOf(purpose);
  return {
    rows,
    purpose: sql`${purpose}::text`,
    purposeId: rows.id,
    isOpen: isOpen[purpose],
    chainRef: rows.chainRef,
    hasReason: sql`${rows.waitingReason} is not null`,
    isBeingSimulated: sql`false`,
  };
}

/** Finds the open funding of a sweep. */
export const findOpenFundingOf = (sweepId: string) => sql`
  select from ${funding} where ${funding.sweepId} = ${sweepId} and ${funding.finishedAt} is null`;

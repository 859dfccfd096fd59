import { rows, type Tx } from '../../../platform/database/database.js';
import type { RowOf } from '../../../platform/sql/sql.js';
import type { EnergyOrder } from '../../transactions/transaction-order.js';
import { lockLoan } from './energy-loans.sql.js';
import { lockReturn } from './energy-returns.sql.js';

/** Locks a loan and returns its order, by its rows alone; null when there is none. */
export async function loanOrder(tx: Tx, id: string): Promise<EnergyOrder | null> {
  const [row] = await rows(tx, lockLoan(id));
  return row === undefined ? null : energyOrder('lend', row);
}

/** Does the same with a return. */
export async function returnOrder(tx: Tx, id: string): Promise<EnergyOrder | null> {
  const [row] = await rows(tx, lockReturn(id));
  return row === undefined ? null : energyOrder('take_back', row);
}

/** What is read of both. */
type LockedRow = RowOf<typeof lockLoan> | RowOf<typeof lockReturn>;

const energyOrder = (move: EnergyOrder['move'], { chainRef, borrower, index, stake }: LockedRow): EnergyOrder => ({
  kind: 'energy',
  move,
  chainRef,
  borrower,
  index,
  stake: BigInt(stake),
});

import { newId } from '../../../domain/ids.js';
import { rows, type Tx } from '../../../platform/database/database.js';
import { findLentOf, insertReturn } from './energy-returns.sql.js';

/** Orders that the energy of ended sweeps comes back, whatever became of them. Joins the caller's transaction. */
export async function takeEnergyBack(tx: Tx, sweepIds: readonly string[]): Promise<void> {
  for (const { id } of await rows(tx, findLentOf(sweepIds))) await orderReturn(tx, id);
}

/** Orders that the energy of a loan comes back. Joins the caller's transaction. */
export async function orderReturn(tx: Tx, loanId: string): Promise<void> {
  await rows(tx, insertReturn(newId('ert_'), loanId, false));
}

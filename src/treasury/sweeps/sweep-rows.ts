import { newId } from '../../domain/ids.js';
import { rows, type Tx } from '../../platform/database/database.js';
import type { SweepContracts } from '../../chains/evm/sweep-contracts.js';
import type { SweepReason } from './sweep.entity.js';
import {
  assignBalances,
  endOpenItems,
  endSweeps,
  insertItems,
  insertSweepRow,
  releaseBalances,
  type SweepItemRow,
} from './sweep-rows.sql.js';

export type { SweepItemRow };

/** A sweep with its items. */
export interface SweepRows {
  readonly chainRef: string;
  readonly reason: SweepReason;
  readonly contracts: SweepContracts;
  readonly items: readonly SweepItemRow[];
  /** Whether its transaction is already signed, as only for one adopted after a restore. */
  readonly isSigned?: boolean;
}

/** Records a sweep with its items, and assigns their balances, which the caller has locked; returns its id. */
export async function insertSweep(
  tx: Tx,
  { chainRef, reason, contracts: { delegate, batch }, items, isSigned = false }: SweepRows,
): Promise<string> {
  const id = newId('swp_');
  const sweep = { id, chainRef, reason, delegate: delegate.address, batch: batch.address };
  await rows(tx, insertSweepRow(sweep, isSigned));
  await rows(tx, insertItems(id, chainRef, items));
  await rows(tx, assignBalances(id, chainRef, items));
  return id;
}

/** Ends sweeps and releases their balances; an item without an outcome brought nothing. */
export async function finishSweeps(tx: Tx, sweepIds: readonly string[]): Promise<void> {
  if (sweepIds.length === 0) return;
  await rows(tx, endOpenItems(sweepIds));
  await rows(tx, releaseBalances(sweepIds));
  await rows(tx, endSweeps(sweepIds));
}

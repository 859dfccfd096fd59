import { newId } from '../../domain/ids.js';
import { rows, type Tx } from '../../platform/database/database.js';
import type { SweepContracts } from '../../chains/evm/sweep-contracts.js';
import { endLoansOf } from './energy/energy-loans.sql.js';
import { takeEnergyBack } from './energy/energy-returns.js';
import { endFundingsOf } from './funding/fundings.sql.js';
import type { SweepReason } from './sweep.entity.js';
import {
  assignBalances,
  endOpenItems,
  endSweeps,
  insertItems,
  insertSweepRow,
  insertSweptAccounts,
  lockFree,
  releaseBalances,
  type SweepItemRow,
} from './sweep-rows.sql.js';

export type { SweepItemRow };

/** A sweep with its items. */
export interface SweepRows {
  readonly chainRef: string;
  readonly reason: SweepReason;
  /** Null where transactions expire. */
  readonly contracts: SweepContracts | null;
  readonly items: readonly SweepItemRow[];
  /** Whether its transaction is already signed, as only for one adopted after a restore. */
  readonly isSigned?: boolean;
}

/** Records a sweep with its items, and assigns their balances, which the caller has locked; returns its id. */
export async function insertSweep(
  tx: Tx,
  { chainRef, reason, contracts, items, isSigned = false }: SweepRows,
): Promise<string> {
  const id = newId('swp_');
  const sweep = {
    id,
    chainRef,
    reason,
    delegate: contracts?.delegate.address ?? null,
    batch: contracts?.batch.address ?? null,
  };
  await rows(tx, insertSweepRow(sweep, isSigned));
  await rows(tx, insertItems(id, chainRef, items));
  await rows(tx, insertSweptAccounts(id, chainRef, items));
  await rows(tx, assignBalances(id, chainRef, items));
  return id;
}

/** Locks the balances that are still to be swept, and returns them; skips those that another transaction has locked. */
export async function claimFree<Item extends Pick<SweepItemRow, 'token' | 'addressId'>>(
  tx: Tx,
  chainRef: string,
  items: readonly Item[],
): Promise<readonly Item[]> {
  if (items.length === 0) return [];
  const locked = await rows(tx, lockFree(chainRef, items));
  const free = new Set(locked.map((row) => `${row.tokenContract} ${row.addressId}`));
  return items.filter(({ token, addressId }) => free.has(`${token} ${addressId}`));
}

/**
 * Ends sweeps with their fundings and loans, and releases their balances; an item without an outcome brought nothing. What was
 * lent is ordered back.
 */
export async function finishSweeps(tx: Tx, sweepIds: readonly string[]): Promise<void> {
  if (sweepIds.length === 0) return;
  await rows(tx, endFundingsOf(sweepIds));
  await rows(tx, endLoansOf(sweepIds));
  await rows(tx, endOpenItems(sweepIds));
  await rows(tx, releaseBalances(sweepIds));
  await rows(tx, endSweeps(sweepIds));
  await takeEnergyBack(tx, sweepIds);
}

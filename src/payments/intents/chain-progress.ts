import { rows, type Tx } from '../../platform/database/database.js';
import type { ChainPosition } from './payment-intent.presenter.js';
import { findChainProgress } from './settlement.sql.js';

/** How far the listener has read the intent's chain, read inside the deciding transaction. */
export interface ChainProgress extends ChainPosition {
  /** False once another chain replaced it: no listener reads it any more. */
  readonly active: boolean;
  /** True while the nodes disagree on what is final: any of them may be missing a payment. */
  readonly isDoubted: boolean;
  /** Time of the newest recorded block. */
  readonly blockTime: Date;
  /** When, by the database's clock, the listener was last in sync with the head. */
  readonly syncedAt: Date;
  /** How long to wait for a silent node before its silence counts; null = never, it must show a later block. */
  readonly quietGraceMs: number | null;
}

/** Reads the progress of a chain; null when the chain has no row. */
export async function chainProgress(tx: Tx, chainRef: string): Promise<ChainProgress | null> {
  const [found] = await rows(tx, findChainProgress(chainRef));
  if (found === undefined) return null;
  const { headHeight, blockTime, syncedAt } = found;
  return {
    ...found,
    headHeight: Number(headHeight),
    blockTime: new Date(blockTime),
    syncedAt: new Date(syncedAt),
  };
}

/**
 * Returns true once every block that can hold a payment made by `moment` is recorded, which a later block proves. After
 * a long downtime the chain is therefore read before intents expire. A node that repeats one old head expires nothing,
 * nor do nodes that disagree. A development chain makes no blocks when nothing happens, so its silence counts after a
 * while. A replaced chain has nothing more to show.
 */
export function caughtUpPast(chain: ChainProgress | null, moment: Date): boolean {
  if (chain === null || !chain.active) return true;
  if (chain.isDoubted) return false;
  if (chain.blockTime > moment) return chain.syncedAt > moment;
  return chain.quietGraceMs !== null && chain.syncedAt.getTime() > moment.getTime() + chain.quietGraceMs;
}

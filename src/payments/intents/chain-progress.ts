import { rows, type Tx } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { findChainProgress } from './settlement.sql.js';

/** How far the listener has read the intent's chain, read inside the deciding transaction. */
export interface ChainProgress extends Omit<
  RowOf<typeof findChainProgress>,
  'intentId' | 'headHeight' | 'blockTime' | 'syncedAt'
> {
  readonly headHeight: number;
  /** Time of the newest block that is recorded in the intent's token. */
  readonly blockTime: Date;
  /** When, by the database's clock, the listener was last in sync with the head. */
  readonly syncedAt: Date;
}

/** Reads the progress of the chains of intents, by intent; one without a chain has none yet. */
export async function chainProgress(tx: Tx, intentIds: readonly string[]): Promise<ReadonlyMap<string, ChainProgress>> {
  const found = await rows(tx, findChainProgress(intentIds));
  return new Map(
    found.map(({ intentId, headHeight, blockTime, syncedAt, ...chain }) => [
      intentId,
      {
        ...chain,
        headHeight: Number(headHeight),
        blockTime: new Date(blockTime),
        syncedAt: new Date(syncedAt),
      },
    ]),
  );
}

/**
 * Returns true once every block that can hold a payment made by `moment` is recorded, which a later block proves. After
 * a long downtime the chain is therefore read before intents expire. A node that repeats one old head expires nothing,
 * nor do nodes that disagree, nor an intent whose account holds funds that no transaction explains. A development chain makes no blocks when nothing happens, so its silence counts after a
 * while. A replaced chain has nothing more to show.
 */
export function caughtUpPast(chain: ChainProgress | null, moment: Date): boolean {
  if (chain === null || !chain.active) return true;
  if (chain.isDoubted || chain.hasUnexplained) return false;
  if (chain.blockTime > moment) return chain.syncedAt > moment;
  return chain.quietGraceMs !== null && chain.syncedAt.getTime() > moment.getTime() + chain.quietGraceMs;
}

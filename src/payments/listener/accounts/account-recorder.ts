import type { BlockHeader } from '../../../chains/chain.js';
import { type Database, rows, type Tx } from '../../../platform/database/database.js';
import { failpoint } from '../../../platform/failpoints.js';
import { assertLease, type HeldLease } from '../../../platform/leases.js';
import type { RowOf } from '../../../platform/sql/sql.js';
import { markDirty } from '../../intents/dirty-intents.js';
import { CursorMoved } from '../chain-cursor.js';
import { advanceCursorAsLeader, holdCursorAsLeader } from '../chain-cursor.sql.js';
import type { Cursor } from '../chain-reader.js';
import { type OfIntent, storeDeposits } from '../deposit-writer.js';
import type { DepositRow } from '../deposit-writer.sql.js';
import { updateReorged } from '../reorged-sightings.sql.js';
import { deleteExplained, type UnexplainedUnits, upsertUnexplained } from './unexplained-balances.sql.js';
import { noteObstacles } from './credited-accounts.sql.js';
import type { ReadBalance } from './watched-accounts.sql.js';
import { confirmDeposits, intentsOfAddresses, orphanDeposits, type seenUpTo } from './account-deposits.sql.js';

/** A deposit that waits for finality. */
export type SeenDeposit = Pick<RowOf<typeof seenUpTo>, 'id' | 'account' | 'intentId'>;

/** What became of deposits that were not final. */
export interface Settled {
  readonly final: readonly SeenDeposit[];
  readonly dropped: readonly SeenDeposit[];
}

/** How far every recent account was read. */
export interface ReadUpTo {
  readonly head: BlockHeader;
  readonly finalizedHeight: number;
  /** The database's time before the head was read. */
  readonly readAt: Date;
  /** The address below which the next step continues with all others; null = from the newest on. */
  readonly roundBelow: string | null;
}

/** Records what a listener reads from accounts. Every write needs the lease of the chain, which must not be paused or halted. */
export class AccountRecorder {
  constructor(
    private readonly database: Database,
    private readonly chainRef: string,
    private readonly lease: HeldLease,
  ) {}

  /** Records deposits, and returns the intents whose facts changed; they are in the dirty set when this returns. */
  async see(deposits: readonly DepositRow[]): Promise<readonly string[]> {
    if (deposits.length === 0) return [];
    const { chainRef } = this;
    failpoint('chain.cursor_before');
    const touched = await this.transaction(async (tx) => {
      // Marks before deposits, as settlement locks them: in the other order the two could deadlock.
      const of = await rows(tx, intentsOfAddresses(deposits.map(({ to }) => to)));
      await markDirty(
        tx,
        of.map(({ intentId }) => intentId),
      );
      await rows(tx, updateReorged(chainRef, deposits));
      const stored = await storeDeposits(tx, chainRef, 'transfers', deposits);
      failpoint('chain.observed');
      const intents = intentsOf(stored);
      // An address may have been assigned after the first marks.
      await markDirty(tx, intents);
      return intents;
    });
    failpoint('chain.cursor_after');
    return touched;
  }

  /**
   * Makes deposits final or orphans them, and returns the intents whose facts changed. An account whose deposit is orphaned
   * may hold another payment of the same amount, so its balance counts as unexplained until it is read again.
   * @param secondNodeAboveCents deposits worth this much need the reports of two nodes; null = one is enough for all
   */
  async settle({ final, dropped }: Settled, secondNodeAboveCents: number | null): Promise<readonly string[]> {
    if (final.length + dropped.length === 0) return [];
    return this.transaction(async (tx) => {
      await markDirty(tx, intentsOf([...final, ...dropped]));
      const confirmed = await rows(tx, confirmDeposits(this.chainRef, idsOf(final), secondNodeAboveCents));
      return intentsOf([...confirmed, ...(await this.orphan(tx, dropped))]);
    });
  }

  private async orphan(tx: Tx, dropped: readonly SeenDeposit[]): Promise<readonly OfIntent[]> {
    if (dropped.length === 0) return [];
    const orphaned = await rows(tx, orphanDeposits(idsOf(dropped)));
    const accounts = [...new Set(dropped.map(({ account }) => account))];
    await rows(tx, upsertUnexplained(this.chainRef, accounts.map(unread)));
    return orphaned;
  }

  /** Stores balances that no transaction explains, and deletes those of accounts that are explained. */
  async keepUnexplained(balances: readonly UnexplainedUnits[], explained: readonly string[]): Promise<void> {
    if (balances.length + explained.length === 0) return;
    await this.transaction(async (tx) => {
      await rows(tx, upsertUnexplained(this.chainRef, balances));
      await rows(tx, deleteExplained(this.chainRef, explained));
    });
  }

  /** Stores why nothing of credited accounts counts for now, or that it counts. */
  async noteObstacles(accounts: readonly ReadBalance[]): Promise<void> {
    if (accounts.length === 0) return;
    const found = accounts.map(({ blockedBy, ...account }) => ({ ...account, obstacle: blockedBy }));
    await this.transaction((tx) => rows(tx, noteObstacles(this.chainRef, found)));
  }

  /**
   * Moves the cursor to the head at which a step began.
   * @throws LeaseLost when this process no longer leads.
   * @throws CursorMoved when the cursor is elsewhere, halted or paused.
   */
  async moveCursor(from: Cursor, { head, finalizedHeight, readAt, roundBelow }: ReadUpTo): Promise<void> {
    const to = {
      height: head.height,
      hash: head.hash,
      headHeight: head.height,
      finalizedHeight,
      time: head.time,
      readAt,
      isCaughtUp: true,
      rolledBackTo: null,
      hasTurned: true,
      nativeRoundBelow: roundBelow,
      coinsReadTo: null,
    };
    // One statement, because every step ends with it.
    const moved = await this.database.rows(advanceCursorAsLeader(this.chainRef, from, to, this.lease));
    if (moved.length === 0) await this.database.transaction((tx) => this.refuse(tx));
  }

  private transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return this.database.transaction(async (tx) => {
      const held = await rows(tx, holdCursorAsLeader(this.chainRef, this.lease));
      return held.length > 0 ? work(tx) : this.refuse(tx);
    });
  }

  /** Says why nothing is written. */
  private async refuse(tx: Tx): Promise<never> {
    await assertLease(tx, this.lease.name, this.lease.epoch);
    throw new CursorMoved(this.chainRef);
  }
}

/** Nothing is known of the balance yet; the smallest one stands for it. */
const unread = (account: string): UnexplainedUnits => ({ account, units: 1n });

const idsOf = (deposits: readonly SeenDeposit[]): string[] => deposits.map(({ id }) => id);

const intentsOf = (changed: readonly OfIntent[]): string[] => [
  ...new Set(changed.flatMap(({ intentId }) => intentId ?? [])),
];

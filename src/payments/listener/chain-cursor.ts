import { type Database, rows, type Tx } from '../../platform/database/database.js';
import { assertLease, type HeldLease } from '../../platform/leases.js';
import { advanceCursor, findPlace, markDoubted, markHalted, type MovedCursor } from './chain-cursor.sql.js';
import type { ChainStep, Cursor } from './chain-reader.js';

/** Nothing is booked on this chain until an operator ends the halt. */
export class ChainHalted extends Error {
  override name = 'ChainHalted';
}

/** Staff paused the listener: nothing is read until they resume it. */
export class ListenerPaused extends Error {
  override name = 'ListenerPaused';
}

/** Another process moved the cursor: this step is void. */
export class CursorMoved extends Error {
  constructor(chainRef: string) {
    super(`The cursor of ${chainRef} is not where this step started.`);
    this.name = 'CursorMoved';
  }
}

/** How far the chain is recorded. */
export interface ChainPlace {
  readonly cursor: Cursor;
  /** The disagreement of the nodes about a final block, or null. */
  readonly doubt: string | null;
  /** The id of the address below which the round over all continues; null = it begins. */
  readonly roundBelow: string | null;
  /** The database's time before anything is read from the chain. */
  readonly readAt: Date;
}

/** A step, the place that it was read from, and the lease that it is recorded under. */
export interface StepToRecord {
  readonly chainRef: string;
  readonly cursor: Cursor;
  readonly step: ChainStep;
  readonly lease: HeldLease;
  /** The database's time before the head was read. */
  readonly readAt: Date;
  /**
   * Deposits worth this many fiat minor units or more become final only when two nodes report them; null = one node is
   * enough for all.
   */
  readonly secondNodeAboveCents: number | null;
}

/** Reads the place to continue from. @throws ChainHalted @throws ListenerPaused */
export async function loadPlace(database: Database, chainRef: string): Promise<ChainPlace> {
  const [row] = await database.rows(findPlace(chainRef));
  if (row === undefined) throw new Error(`The chain ${chainRef} has no cursor.`);
  if (row.haltedReason !== null) throw new ChainHalted(`The chain is halted: ${row.haltedReason}`);
  if (row.pausedBy !== null) throw new ListenerPaused(`The listener was paused by ${row.pausedBy}.`);
  return {
    cursor: { height: Number(row.height), hash: row.hash, finalizedHeight: Number(row.finalizedHeight) },
    doubt: row.finalityDoubt,
    roundBelow: row.nativeRoundBelow,
    readAt: new Date(row.now),
  };
}

/** Moves the cursor to the end of the step. @throws CursorMoved when it is not where the step started, halted or paused. */
export async function moveCursor(tx: Tx, read: StepToRecord): Promise<void> {
  const { chainRef, cursor, lease } = read;
  const moved = await rows(tx, advanceCursor(chainRef, cursor, endOf(read), lease.epoch));
  if (moved.length === 0) throw new CursorMoved(chainRef);
}

/** Returns the cursor at the end of the step. */
export function endOf({ cursor, step, readAt }: StepToRecord): MovedCursor {
  const last = step.blocks.at(-1)?.header;
  const { height, hash } = last ?? step.rollbackTo ?? cursor;
  return {
    height,
    hash,
    headHeight: step.headHeight,
    finalizedHeight: step.finalizedHeight,
    time: last?.time ?? null,
    readAt,
    isCaughtUp: step.isCaughtUp,
    rolledBackTo: step.rollbackTo?.height ?? null,
    hasTurned: step.nativeTurn !== undefined,
    nativeRoundBelow: step.nativeTurn?.nextBelow ?? null,
    coinsReadTo: step.coinsReadTo ?? null,
  };
}

/**
 * Stops a chain until an operator clears the reason: nothing is booked on it meanwhile.
 * @throws LeaseLost when this process no longer leads.
 */
export async function haltChain(database: Database, chainRef: string, reason: string, lease: HeldLease): Promise<void> {
  await database.transaction(async (tx) => {
    await assertLease(tx, lease.name, lease.epoch);
    await rows(tx, markHalted(chainRef, reason));
  });
}

/**
 * Stores the disagreement of the nodes about a final block, or null once they agree.
 * @throws LeaseLost when this process no longer leads.
 */
export async function storeDoubt(
  database: Database,
  chainRef: string,
  doubt: string | null,
  lease: HeldLease,
): Promise<void> {
  await database.transaction(async (tx) => {
    await assertLease(tx, lease.name, lease.epoch);
    await rows(tx, markDoubted(chainRef, doubt));
  });
}

import { type Database, type Tx, sql } from '../../platform/database/database.js';
import { assertLease, type HeldLease } from '../../platform/leases.js';
import type { ChainStep, Cursor } from './chain-reader.js';

/** Nothing is booked on this chain until an operator ends the halt. */
export class ChainHalted extends Error {
  override name = 'ChainHalted';
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

/** Reads the place to continue from. @throws ChainHalted */
export async function loadPlace(database: Database, chainRef: string): Promise<ChainPlace> {
  const [row] = await database.query<{
    height: string;
    hash: string;
    finalized_height: string;
    halted_reason: string | null;
    finality_doubt: string | null;
    now: string;
  }>(
    // A cursor that an operator has set back claims nothing as final above itself.
    `select height, hash, least(finalized_height, height) as finalized_height, halted_reason, finality_doubt,
            now() as now
       from chain_cursor where chain_ref = $1`,
    [chainRef],
  );
  if (row === undefined) throw new Error(`The chain ${chainRef} has no cursor.`);
  if (row.halted_reason !== null) throw new ChainHalted(`The chain is halted: ${row.halted_reason}`);
  return {
    cursor: { height: Number(row.height), hash: row.hash, finalizedHeight: Number(row.finalized_height) },
    doubt: row.finality_doubt,
    readAt: new Date(row.now),
  };
}

/** Moves the cursor to the end of the step. @throws CursorMoved when it is not where the step started, or halted. */
export async function moveCursor(tx: Tx, { chainRef, cursor, step, lease, readAt }: StepToRecord): Promise<void> {
  const last = step.blocks.at(-1)?.header;
  const top = last ?? step.rollbackTo ?? cursor;
  const moved = await sql(
    tx,
    `update chain_cursor
        set height = $4, hash = $5, head_height = $6, finalized_height = $7, epoch = $8,
            block_time = top.time, native_round_below = case when $13 then $14 else native_round_below end,
            -- After a rollback that does not reach the head again, we know the chain as it was at that block.
            synced_at = case when $10 then $11 when $12 then least(synced_at, top.time) else synced_at end
       from (select coalesce($9::timestamptz, (select block_time from chain_block where chain_ref = $1 and height = $4),
                             (select block_time from chain_cursor where chain_ref = $1)) as time) as top
      where chain_ref = $1 and height = $2 and hash = $3 and epoch <= $8 and halted_reason is null
      returning chain_ref`,
    [
      chainRef,
      cursor.height,
      cursor.hash,
      top.height,
      top.hash,
      step.headHeight,
      step.finalizedHeight,
      lease.epoch,
      last?.time ?? null,
      step.isCaughtUp,
      readAt,
      step.rollbackTo !== null,
      step.nativeTurn !== undefined,
      step.nativeTurn?.nextBelow ?? null,
    ],
  );
  if (moved.length === 0) throw new CursorMoved(chainRef);
}

/**
 * Stops a chain until an operator clears the reason: nothing is booked on it meanwhile.
 * @throws LeaseLost when this process no longer leads.
 */
export async function haltChain(database: Database, chainRef: string, reason: string, lease: HeldLease): Promise<void> {
  await database.transaction(async (tx) => {
    await assertLease(tx, lease.name, lease.epoch);
    await sql(tx, `update chain_cursor set halted_reason = $2 where chain_ref = $1`, [chainRef, reason]);
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
    await sql(tx, `update chain_cursor set finality_doubt = $2 where chain_ref = $1`, [chainRef, doubt]);
  });
}

import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { markDirty } from '../intents/dirty-intents.js';
import { Database, type Tx, sql } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { assertLease, type HeldLease } from '../../platform/leases.js';
import { LOGGER } from '../../platform/logging.js';
import type { ChainStep, Cursor, ReadBlock } from './chain-reader.js';
import { type DepositRow, remainderRow, storeDeposits, transferRows } from './deposit-writer.js';
import { updateBlocks, markReorgedAgain } from './reorged-sightings.js';
import {
  type Difference,
  differences,
  IS_SWEPT_NOW,
  remaindersUnderSweep,
  withdrawRemainders,
  WAS_SWEPT_SINCE,
  withoutCovered,
} from './native-remainders.js';
import { NativeShortfalls } from './native-shortfalls.js';
import { recordIdleCheck } from './idle-check.js';
import { hasNodesEnough } from './second-node-rule.js';

/** Blocks kept below finality: enough to find the ancestor of any reorg that finality allows. */
const BLOCKS_KEPT_BELOW_FINALITY = 64;

/** Another process moved the cursor: this step is void. */
export class CursorMoved extends Error {
  constructor(chainRef: string) {
    super(`The cursor of ${chainRef} is not where this step started.`);
    this.name = 'CursorMoved';
  }
}

interface Remainders {
  readonly touched: readonly { intent_id: string | null }[];
  readonly shortfalls: readonly Difference[];
}

/** Stores the results of a step: deposits, orphan marks, finality and the cursor, in one transaction. */
@Injectable()
export class DepositRecorder {
  private readonly shortfalls: NativeShortfalls;

  constructor(
    private readonly database: Database,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.shortfalls = new NativeShortfalls(logger);
  }

  /**
   * Records the step and returns the intents whose facts changed; they are in the dirty set when this returns.
   * @param readAt the database's time before the head was read
   * @throws CursorMoved when another process got ahead, LeaseLost when this one no longer leads.
   */
  async record(
    chainRef: string,
    cursor: Cursor,
    step: ChainStep,
    lease: HeldLease,
    readAt: Date,
  ): Promise<readonly string[]> {
    if (await recordIdleCheck(this.database, { chainRef, cursor, step, lease, readAt })) return [];
    // A step without blocks passes no failpoint: a test that arms one means a step with blocks.
    const isNews = step.blocks.length > 0;
    if (isNews) failpoint('chain.cursor_before');
    const { touched, shortfalls } = await this.database.transaction(async (tx) => {
      await assertLease(tx, lease.name, lease.epoch);
      await this.moveCursor(tx, chainRef, cursor, step, lease.epoch, readAt);
      const transfers = transferRows(step.blocks);
      // Marks before deposits, as settlement locks them: in the other order the two could deadlock.
      await markDirty(tx, await this.aboutToChange(tx, chainRef, cursor, step, transfers));
      const intents = new Set<string>();
      const remember = (rows: readonly { intent_id: string | null }[]): void => {
        for (const row of rows) if (row.intent_id !== null) intents.add(row.intent_id);
      };
      if (step.rollbackTo !== null) remember(await this.rollBack(tx, chainRef, step.rollbackTo.height));
      if (isNews) remember(await this.recordBlocks(tx, chainRef, step.blocks, step.finalizedHeight));
      await updateBlocks(tx, chainRef, transfers);
      remember(await storeDeposits(tx, chainRef, 'transfers', await withoutCovered(tx, chainRef, transfers)));
      // Read before the balances are compared: a sweep that ends in between was under way when they were.
      const swept = await remaindersUnderSweep(tx, chainRef);
      const remainders = await this.recordRemainders(tx, chainRef, step);
      remember(remainders.touched);
      if (isNews) failpoint('chain.observed');
      remember(await this.confirm(tx, chainRef, step, swept));
      await markDirty(tx, [...intents]);
      return { touched: [...intents], shortfalls: remainders.shortfalls };
    });
    if (isNews) failpoint('chain.cursor_after');
    this.shortfalls.report(chainRef, shortfalls);
    return touched;
  }

  /**
   * Stops a chain until an operator clears the reason: nothing is booked on it meanwhile.
   * @throws LeaseLost when this process no longer leads.
   */
  async halt(chainRef: string, reason: string, lease: HeldLease): Promise<void> {
    await this.database.transaction(async (tx) => {
      await assertLease(tx, lease.name, lease.epoch);
      await sql(tx, `update chain_cursor set halted_reason = $2 where chain_ref = $1`, [chainRef, reason]);
    });
  }

  /**
   * Stores the disagreement of the nodes about a final block, or null once they agree.
   * @throws LeaseLost when this process no longer leads.
   */
  async doubt(chainRef: string, doubt: string | null, lease: HeldLease): Promise<void> {
    await this.database.transaction(async (tx) => {
      await assertLease(tx, lease.name, lease.epoch);
      await sql(tx, `update chain_cursor set finality_doubt = $2 where chain_ref = $1`, [chainRef, doubt]);
    });
  }

  private async moveCursor(
    tx: Tx,
    chainRef: string,
    cursor: Cursor,
    step: ChainStep,
    epoch: number,
    readAt: Date,
  ): Promise<void> {
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
        epoch,
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
   * The intents whose stored deposits this step may change. Only the holder of the cursor changes deposits of a chain.
   */
  private async aboutToChange(
    tx: Tx,
    chainRef: string,
    cursor: Cursor,
    step: ChainStep,
    rows: readonly DepositRow[],
  ): Promise<readonly string[]> {
    const found = await sql<{ intent_id: string }>(
      tx,
      `select intent_id from deposit
        where chain_ref = $1 and status = 'seen' and intent_id is not null
          and (block_height > $3 or (block_height <= $2 and ${hasNodesEnough('$1', '$5')}))
        union
       select intent_id from deposit
        where chain_ref = $1 and tx_hash = any($4::text[]) and status <> 'confirmed' and intent_id is not null`,
      [
        chainRef,
        step.finalizedHeight,
        (step.rollbackTo ?? cursor).height,
        rows.map((row) => row.txHash),
        step.secondNodeAboveCents ?? null,
      ],
    );
    return found.map((row) => row.intent_id);
  }

  private async rollBack(tx: Tx, chainRef: string, height: number): Promise<{ intent_id: string | null }[]> {
    await sql(tx, `delete from chain_block where chain_ref = $1 and height > $2`, [chainRef, height]);
    await markReorgedAgain(tx, chainRef, height);
    return sql(
      tx,
      `update deposit set status = 'orphaned'
        where chain_ref = $1 and status = 'seen' and block_height > $2 returning intent_id`,
      [chainRef, height],
    );
  }

  private async recordBlocks(
    tx: Tx,
    chainRef: string,
    blocks: readonly ReadBlock[],
    finalizedHeight: number,
  ): Promise<{ intent_id: string | null }[]> {
    const heights = blocks.map((block) => block.header.height);
    const hashes = blocks.map((block) => block.header.hash);
    // Blocks that are stored already are read again after the cursor was set back.
    await sql(
      tx,
      `insert into chain_block (chain_ref, height, hash, parent_hash, block_time)
       select $1, * from unnest($2::bigint[], $3::text[], $4::text[], $5::timestamptz[])
       on conflict (chain_ref, height) do update
         set hash = excluded.hash, parent_hash = excluded.parent_hash, block_time = excluded.block_time`,
      [
        chainRef,
        heights,
        hashes,
        blocks.map((block) => block.header.parentHash),
        blocks.map((block) => block.header.time),
      ],
    );
    await sql(tx, `delete from chain_block where chain_ref = $1 and height < $2`, [
      chainRef,
      finalizedHeight - BLOCKS_KEPT_BELOW_FINALITY,
    ]);
    // A chain that reorged while its cursor was set back shows only now that it dropped a block we had read.
    return sql(
      tx,
      `update deposit set status = 'orphaned'
         from unnest($2::bigint[], $3::text[]) as block (height, hash)
        where chain_ref = $1 and status = 'seen' and block_height = block.height and block_hash <> block.hash
        returning intent_id`,
      [chainRef, heights, hashes],
    );
  }

  /** Stores what the balances of the step show beyond the recorded deposits, those of this step included. */
  private async recordRemainders(tx: Tx, chainRef: string, step: ChainStep): Promise<Remainders> {
    const block = step.balanceBlock;
    if (block === undefined) return { touched: [], shortfalls: [] };
    let found = await differences(tx, chainRef, block, step.balances);
    const short = found.filter(({ units }) => units < 0n).map(({ address }) => address);
    const withdrawn = await withdrawRemainders(tx, chainRef, short);
    if (withdrawn.length > 0) found = await differences(tx, chainRef, block, step.balances);
    const remainders = found.filter(({ units }) => units > 0n);
    await markDirty(
      tx,
      remainders.flatMap(({ intentId }) => intentId ?? []),
    );
    const rows = remainders.map(({ address, units }) => remainderRow(block, address, units));
    return {
      touched: [...withdrawn, ...(await storeDeposits(tx, chainRef, 'remainders', rows))],
      shortfalls: found.filter(({ units }) => units < 0n),
    };
  }

  /**
   * A remainder does not become final before a step that is caught up with the head, where balances may still contradict
   * it, nor while its address is swept (`swept`: or was when the balances were compared), nor before its balance was
   * read after that. With finality the database records, once, whether the current sanctions list has the sender.
   */
  private confirm(
    tx: Tx,
    chainRef: string,
    step: ChainStep,
    swept: readonly string[],
  ): Promise<{ intent_id: string | null }[]> {
    return sql(
      tx,
      `update deposit set status = 'confirmed', confirmed_at = now()
        where chain_ref = $1 and status = 'seen' and block_height <= $2
          and (tx_hash is not null
               or ($4 and address_id <> all($5::bigint[]) and not ${IS_SWEPT_NOW}
                   and (not ${WAS_SWEPT_SINCE}
                        or (select address_key from pool_address where id = address_id) = any($6))))
          and ${hasNodesEnough('$1', '$3')} returning intent_id`,
      [
        chainRef,
        step.finalizedHeight,
        step.secondNodeAboveCents ?? null,
        step.isCaughtUp,
        swept,
        step.balances.map(({ address }) => address),
      ],
    );
  }
}

import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { markDirty } from '../intents/dirty-intents.js';
import { Database, type Tx, sql } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { assertLease } from '../../platform/leases.js';
import { LOGGER } from '../../platform/logging.js';
import { moveCursor, type StepToRecord } from './chain-cursor.js';
import type { ChainStep } from './chain-reader.js';
import { type DepositRow, remainderRow, storeDeposits, transferRows } from './deposit-writer.js';
import { deleteBlocksAbove, storeBlocks } from './recorded-blocks.js';
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

interface Remainders {
  readonly touched: readonly { intent_id: string | null }[];
  readonly shortfalls: readonly Difference[];
}

/** Records a step in one transaction: cursor, blocks, deposits, orphan marks and finality. */
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
   * @throws CursorMoved when another process got ahead, LeaseLost when this one no longer leads.
   */
  async record(read: StepToRecord): Promise<readonly string[]> {
    if (await recordIdleCheck(this.database, read)) return [];
    const { chainRef, step, lease } = read;
    // A step without blocks passes no failpoint: a test that arms one means a step with blocks.
    const hasBlocks = step.blocks.length > 0;
    if (hasBlocks) failpoint('chain.cursor_before');
    const { touched, shortfalls } = await this.database.transaction(async (tx) => {
      await assertLease(tx, lease.name, lease.epoch);
      await moveCursor(tx, read);
      const transfers = transferRows(step.blocks);
      // Marks before deposits, as settlement locks them: in the other order the two could deadlock.
      await markDirty(tx, await this.aboutToChange(tx, read, transfers));
      const intents = new Set<string>();
      const remember = (rows: readonly { intent_id: string | null }[]): void => {
        for (const row of rows) if (row.intent_id !== null) intents.add(row.intent_id);
      };
      if (step.rollbackTo !== null) remember(await this.rollBack(tx, chainRef, step.rollbackTo.height));
      if (hasBlocks) remember(await this.recordBlocks(tx, chainRef, step));
      await updateBlocks(tx, chainRef, transfers);
      remember(await storeDeposits(tx, chainRef, 'transfers', await withoutCovered(tx, chainRef, transfers)));
      // Read before the balances are compared: a sweep that ends in between was under way when they were.
      const swept = await remaindersUnderSweep(tx, chainRef);
      const remainders = await this.recordRemainders(tx, chainRef, step);
      remember(remainders.touched);
      if (hasBlocks) failpoint('chain.observed');
      remember(await this.confirm(tx, read, swept));
      await markDirty(tx, [...intents]);
      return { touched: [...intents], shortfalls: remainders.shortfalls };
    });
    if (hasBlocks) failpoint('chain.cursor_after');
    this.shortfalls.report(chainRef, shortfalls);
    return touched;
  }

  /**
   * The intents whose stored deposits this step may change. Only the holder of the cursor changes deposits of a chain.
   */
  private async aboutToChange(
    tx: Tx,
    { chainRef, cursor, step, secondNodeAboveCents }: StepToRecord,
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
        secondNodeAboveCents,
      ],
    );
    return found.map((row) => row.intent_id);
  }

  private async rollBack(tx: Tx, chainRef: string, height: number): Promise<{ intent_id: string | null }[]> {
    await deleteBlocksAbove(tx, chainRef, height);
    await markReorgedAgain(tx, chainRef, height);
    return sql(
      tx,
      `update deposit set status = 'orphaned'
        where chain_ref = $1 and status = 'seen' and block_height > $2 returning intent_id`,
      [chainRef, height],
    );
  }

  private async recordBlocks(tx: Tx, chainRef: string, step: ChainStep): Promise<{ intent_id: string | null }[]> {
    await storeBlocks(tx, chainRef, step.blocks, step.finalizedHeight);
    // A chain that reorged while its cursor was set back shows only now that it dropped a block we had read.
    return sql(
      tx,
      `update deposit set status = 'orphaned'
         from unnest($2::bigint[], $3::text[]) as block (height, hash)
        where chain_ref = $1 and status = 'seen' and block_height = block.height and block_hash <> block.hash
        returning intent_id`,
      [chainRef, step.blocks.map(({ header }) => header.height), step.blocks.map(({ header }) => header.hash)],
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
   * A remainder does not become final before a step that is caught up with the head, where balances may still
   * contradict it, nor while its address is swept (`swept`: or was when the balances were compared), nor before its
   * balance was read after that. With finality the database records, once, whether the current sanctions list has the
   * sender.
   */
  private confirm(
    tx: Tx,
    { chainRef, step, secondNodeAboveCents }: StepToRecord,
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
        secondNodeAboveCents,
        step.isCaughtUp,
        swept,
        step.balances.map(({ address }) => address),
      ],
    );
  }
}

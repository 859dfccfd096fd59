import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { markDirty } from '../intents/dirty-intents.js';
import { Database, rows, type Tx } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { assertLease } from '../../platform/leases.js';
import { LOGGER } from '../../platform/logging.js';
import { moveCursor, type StepToRecord } from './chain-cursor.js';
import type { ChainStep } from './chain-reader.js';
import { confirmFinal, findAboutToChange, orphanAbove, orphanReplaced } from './deposit-recorder.sql.js';
import { type OfIntent, remainderRow, storeDeposits, transferRows } from './deposit-writer.js';
import type { DepositRow } from './deposit-writer.sql.js';
import { storeBlocks } from './recorded-blocks.js';
import { deleteBlocksAbove } from './recorded-blocks.sql.js';
import { separateFundings } from './seen-fundings.js';
import { deleteReplacedFundings, deleteSeenFundingsAbove, storeSeenFundings } from './seen-fundings.sql.js';
import { markReorgedAgain, updateReorged } from './reorged-sightings.sql.js';
import {
  type Difference,
  differences,
  remaindersUnderSweep,
  withdrawRemainders,
  withoutCovered,
} from './native-remainders.js';
import { NativeShortfalls } from './native-shortfalls.js';
import { recordEmptyBlocks } from './empty-blocks.js';
import { recordIdleCheck } from './idle-check.js';

interface Remainders {
  readonly touched: readonly OfIntent[];
  readonly shortfalls: readonly Difference[];
}

/** What a recorded step changed. */
interface Recorded {
  /** Ids of intents. */
  readonly touched: readonly string[];
  readonly shortfalls: readonly Difference[];
}

const NOTHING: Recorded = { touched: [], shortfalls: [] };

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
    const { chainRef, step } = read;
    // A step without blocks passes no failpoint: a test that arms one means a step with blocks. `chain.observed` lies in the
    // full recording.
    const hasBlocks = step.blocks.length > 0;
    if (hasBlocks) failpoint('chain.cursor_before');
    const { touched, shortfalls } = (await recordEmptyBlocks(this.database, read))
      ? NOTHING
      : await this.recordAll(read);
    if (hasBlocks) failpoint('chain.cursor_after');
    this.shortfalls.report(chainRef, shortfalls);
    return touched;
  }

  private recordAll(read: StepToRecord): Promise<Recorded> {
    const { chainRef, step, lease } = read;
    const hasBlocks = step.blocks.length > 0;
    return this.database.transaction(async (tx) => {
      await assertLease(tx, lease.name, lease.epoch);
      await moveCursor(tx, read);
      const { deposits: transfers, fundings } = await separateFundings(tx, chainRef, transferRows(step.blocks));
      // Marks before deposits, as settlement locks them: in the other order the two could deadlock.
      const marked = new Set(await this.aboutToChange(tx, read, transfers));
      await markDirty(tx, [...marked]);
      const intents = new Set<string>();
      const remember = (changed: readonly OfIntent[]): void => {
        for (const { intentId } of changed) if (intentId !== null) intents.add(intentId);
      };
      if (step.rollbackTo !== null) remember(await this.rollBack(tx, chainRef, step.rollbackTo.height));
      if (hasBlocks) remember(await this.recordBlocks(tx, chainRef, step));
      if (fundings.length > 0) await rows(tx, storeSeenFundings(chainRef, fundings));
      if (transfers.length > 0) await rows(tx, updateReorged(chainRef, transfers));
      remember(await storeDeposits(tx, chainRef, 'transfers', await withoutCovered(tx, chainRef, transfers)));
      // Read before the balances are compared: a sweep that ends in between was under way when they were.
      const swept = await remaindersUnderSweep(tx, chainRef);
      const remainders = await this.recordRemainders(tx, chainRef, step);
      remember(remainders.touched);
      if (hasBlocks) failpoint('chain.observed');
      remember(await this.confirm(tx, read, swept));
      // The first marks are still there: this transaction has locked them.
      await markDirty(
        tx,
        [...intents].filter((id) => !marked.has(id)),
      );
      return { touched: [...intents], shortfalls: remainders.shortfalls };
    });
  }

  /**
   * The intents whose stored deposits this step may change. Only the holder of the cursor changes deposits of a chain.
   */
  private async aboutToChange(
    tx: Tx,
    { chainRef, cursor, step, secondNodeAboveCents }: StepToRecord,
    transfers: readonly DepositRow[],
  ): Promise<readonly string[]> {
    const found = await rows(
      tx,
      findAboutToChange(chainRef, {
        finalizedHeight: step.finalizedHeight,
        above: (step.rollbackTo ?? cursor).height,
        txHashes: transfers.map(({ txHash }) => txHash),
        secondNodeAboveCents,
      }),
    );
    return found.map(({ intentId }) => intentId);
  }

  private async rollBack(tx: Tx, chainRef: string, height: number): Promise<readonly OfIntent[]> {
    await rows(tx, deleteBlocksAbove(chainRef, height));
    await rows(tx, deleteSeenFundingsAbove(chainRef, height));
    await rows(tx, markReorgedAgain(chainRef, height));
    return rows(tx, orphanAbove(chainRef, height));
  }

  private async recordBlocks(tx: Tx, chainRef: string, step: ChainStep): Promise<readonly OfIntent[]> {
    await storeBlocks(tx, chainRef, step.blocks, step.finalizedHeight);
    const headers = step.blocks.map(({ header }) => header);
    await rows(tx, deleteReplacedFundings(chainRef, headers));
    // A chain that reorged while its cursor was set back shows only now that it dropped a block we had read.
    return rows(tx, orphanReplaced(chainRef, headers));
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
    const deposits = remainders.map(({ address, units }) => remainderRow(block, address, units));
    return {
      touched: [...withdrawn, ...(await storeDeposits(tx, chainRef, 'remainders', deposits))],
      shortfalls: found.filter(({ units }) => units < 0n),
    };
  }

  /** @param sweptAddressIds addresses that were being swept when the balances were compared */
  private confirm(
    tx: Tx,
    { chainRef, step, secondNodeAboveCents }: StepToRecord,
    sweptAddressIds: readonly string[],
  ): Promise<readonly OfIntent[]> {
    const { finalizedHeight, isCaughtUp } = step;
    const readAddresses = step.balances.map(({ address }) => address);
    return rows(
      tx,
      confirmFinal(chainRef, { finalizedHeight, secondNodeAboveCents, isCaughtUp, sweptAddressIds, readAddresses }),
    );
  }
}

import type { BlockClient } from '../../chains/chain.js';
import { tokenContracts } from '../../chains/networks.js';
import type { NodeReport } from '../../chains/nodes/node-health.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { failpoint } from '../../platform/failpoints.js';
import { poolOf } from '../addresses/pool-addresses.sql.js';
import { haltChain, loadPlace } from './chain-cursor.js';
import { type ReaderContext, ReorgBeyondFinality } from './chain-reader.js';
import type { DepositRecorder } from './deposit-recorder.service.js';
import type { Listener, ListenerOptions } from './listener-options.js';
import { DoubtReport, reportFailure } from './listener-reports.js';
import { listenerPauseMs, PollLoop } from './poll-loop.js';
import { NativeReadPlanner } from './native-read-planner.js';
import { RecentBalances } from './recent-balances.js';
import { recordedHashAt } from './recorded-blocks.js';
import { blockOpinions } from './node-reports.js';
import { SecondNode } from './second-node.js';
import { StepSource } from './step-source.js';
import type { WatchedAddresses } from './watched-addresses.js';

const TICKS_BEFORE_HALT = 2;

/** A listener of a chain that is read by blocks. */
export interface ChainListenerOptions extends ListenerOptions<BlockClient> {
  readonly watched: WatchedAddresses;
  readonly recorder: DepositRecorder;
}

/**
 * Reads one chain while this process leads it. A new head that a node announces only brings the next tick forward;
 * every fact is read from the cursor on.
 */
export class ChainListener implements Listener {
  /** Consecutive ticks in which every node that answered was missing a final block. */
  private contradictions = 0;
  private readUpTo: Date | null = null;
  private readonly heads: { close(): void };
  /** Null where the chain's own coin is not on offer. */
  private readonly native: NativeReadPlanner | null;
  private readonly recentBalances: RecentBalances | null;
  private readonly steps: StepSource;
  /** Null where there is no second node. */
  private readonly secondNode: SecondNode | null;
  private readonly doubts: DoubtReport;
  private readonly loop: PollLoop;

  constructor(private readonly options: ChainListenerOptions) {
    const { database, chainRef, profile } = options;
    const offersCoin = profile.tokens.some(({ contract }) => contract === NATIVE_COIN);
    this.native = offersCoin ? new NativeReadPlanner(database, chainRef, poolOf(profile)) : null;
    this.recentBalances = this.native === null ? null : this.openRecentBalances(this.native);
    this.doubts = new DoubtReport(options);
    this.steps = new StepSource(options.nodes, this.readerContext());
    this.secondNode = options.nodes.count > 1 ? this.openSecondNode() : null;
    this.heads = options.nodes.watchHeads(() => this.nudge());
    this.loop = new PollLoop({
      tick: () => this.tick(),
      pauseMs: (failures) => listenerPauseMs(profile.blockIntervalMs, failures),
      onFailure: (error, failures) => this.handle(error, failures),
    });
  }

  nudge(): void {
    this.loop.nudge();
  }

  nodeReports(): readonly NodeReport[] {
    return this.options.nodes.reports();
  }

  async stop(): Promise<void> {
    this.heads.close();
    await Promise.all([this.loop.stop(), this.secondNode?.stop(), this.recentBalances?.stop()]);
  }

  private async handle(error: unknown, failures: number): Promise<void> {
    if (!(error instanceof ReorgBeyondFinality)) this.contradictions = 0;
    if (error instanceof ReorgBeyondFinality) {
      await this.halt(error).catch((failure: unknown) => this.handle(failure, failures));
    } else reportFailure(this.options, error, failures);
  }

  /**
   * Halts the chain when two ticks in a row contradict what is final. One contradiction is not enough: a node may have
   * served another fork for a moment, and only an operator ends a halt.
   */
  private async halt(reorg: ReorgBeyondFinality): Promise<void> {
    const { logger, chainRef, database, lease } = this.options;
    this.contradictions++;
    if (this.contradictions < TICKS_BEFORE_HALT) {
      logger.warn({ chainRef }, `${reorg.message} It is checked once more.`);
      return;
    }
    this.contradictions = 0;
    await haltChain(database, chainRef, reorg.message, lease);
    logger.fatal({ chainRef, err: reorg }, 'A reorg went beyond finality: the chain is halted.');
  }

  private async tick(): Promise<boolean> {
    const { chainRef, database, recorder, lease, onTouched, onProgress } = this.options;
    const { cursor, doubt: former, readAt } = await loadPlace(database, chainRef);
    const { step, doubt } = await this.steps.next(cursor, former);
    await this.doubts.report(former, doubt);
    if (step.blocks.length > 0) failpoint('chain.block_fetched');
    const secondNodeAboveCents = this.secondNode === null ? null : this.options.secondNodeAboveCents;
    const touched = await recorder.record({ chainRef, cursor, step, lease, readAt, secondNodeAboveCents });
    if (step.blocks.length > 0 || step.balances.length > 0) this.native?.recorded();
    if (touched.length > 0) onTouched(touched);
    if (doubt === null) void this.secondNode?.check();
    this.readUpTo = step.blocks.at(-1)?.header.time ?? this.readUpTo;
    const top = step.blocks.at(-1)?.header ?? step.rollbackTo ?? cursor;
    if (step.isCaughtUp) void this.recentBalances?.check({ height: top.height, hash: top.hash });
    onProgress({ blocks: step.headHeight - top.height, seconds: this.lagSeconds(step.isCaughtUp, readAt) });
    this.contradictions = 0;
    // A node that announces more blocks than it returns is not asked again before the next poll.
    return !step.isCaughtUp && step.blocks.length > 0;
  }

  private openRecentBalances(native: NativeReadPlanner): RecentBalances {
    const { chainRef, profile, nodes, database, logger } = this.options;
    const onExcess = (addresses: readonly string[]): void => {
      native.suspect(addresses);
      this.nudge();
    };
    return new RecentBalances({ chainRef, profile, nodes, database, logger, onExcess });
  }

  private openSecondNode(): SecondNode {
    const { secondNodeAboveCents: aboveCents, database } = this.options;
    return new SecondNode({
      ...this.options,
      aboveCents,
      opinionsOn: (block) => blockOpinions(database, this.options, block),
      onReported: () => this.nudge(),
    });
  }

  /**
   * A development chain makes no blocks while nothing happens, so a listener that has read up to its head is not
   * behind.
   */
  private lagSeconds(isCaughtUp: boolean, now: Date): number {
    const { quietGraceMs, blockIntervalMs } = this.options.profile;
    if (this.readUpTo === null || (isCaughtUp && quietGraceMs !== null)) return 0;
    return Math.max(0, now.getTime() - this.readUpTo.getTime() - blockIntervalMs) / 1000;
  }

  private readerContext(): ReaderContext {
    const { database, chainRef, profile, watched } = this.options;
    return {
      tokens: tokenContracts(profile),
      refreshWatched: () => watched.refresh(),
      native: this.native,
      recordedHashAt: (height) => recordedHashAt(database, chainRef, height),
    };
  }
}

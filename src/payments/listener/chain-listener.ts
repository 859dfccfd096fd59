import type { Logger } from 'pino';
import { ChainUnavailable } from '../../chains/chain.js';
import type { ChainNodes } from '../../chains/nodes/chain-nodes.js';
import type { NetworkProfile } from '../../chains/networks.js';
import { tokenContracts } from '../../chains/networks.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { Database } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { type HeldLease, LeaseLost } from '../../platform/leases.js';
import type { ChainLag } from '../../platform/metrics.js';
import { ThrottledLog } from '../../platform/throttled-log.js';
import { ChainHalted, CursorMoved, haltChain, loadPlace, storeDoubt } from './chain-cursor.js';
import { type ReaderContext, ReorgBeyondFinality } from './chain-reader.js';
import type { DepositRecorder } from './deposit-recorder.service.js';
import { NativeReadPlanner } from './native-read-planner.js';
import { RecentBalances } from './recent-balances.js';
import { recordedHashAt } from './recorded-blocks.js';
import { SecondNode } from './second-node.js';
import { StepSource } from './step-source.js';
import type { WatchedAddresses } from './watched-addresses.js';

const POLL_MIN_MS = 500;
const POLL_MAX_MS = 4_000;
const BACKOFF_MAX_MS = 5_000;
const TICKS_BEFORE_HALT = 2;
const BETWEEN_DOUBT_LOGS_MS = 60_000;

/** The chain that a listener reads, the nodes it reads through, and its callbacks. */
export interface ChainListenerOptions {
  readonly chainRef: string;
  readonly profile: NetworkProfile;
  readonly nodes: ChainNodes;
  /** Deposits worth this many fiat minor units or more need reports of two nodes; ignored where there is only one. */
  readonly secondNodeAboveCents: number;
  readonly watched: WatchedAddresses;
  readonly recorder: DepositRecorder;
  readonly database: Database;
  readonly lease: HeldLease;
  readonly logger: Logger;
  /** Called with the intents whose facts changed, after they are committed. */
  readonly onTouched: (intentIds: readonly string[]) => void;
  readonly onProgress: (lag: ChainLag) => void;
  /** Called with each step: whether nodes disagree on a final block. */
  readonly onDoubt: (isInDoubt: boolean) => void;
  /** Called when a node denies deposits that another one reported. */
  readonly onDenied: (count: number) => void;
}

/**
 * Reads one chain while this process leads it. A new head that a node announces only brings the next tick forward;
 * every fact is read from the cursor on.
 */
export class ChainListener {
  private running = true;
  private failures = 0;
  /** Consecutive ticks in which every node that answered was missing a final block. */
  private contradictions = 0;
  private readUpTo: Date | null = null;
  private wake: () => void = () => undefined;
  private readonly heads: { close(): void };
  /** Null where the chain's own coin is not on offer. */
  private readonly native: NativeReadPlanner | null;
  private readonly recentBalances: RecentBalances | null;
  private readonly steps: StepSource;
  /** Null where there is no second node. */
  private readonly secondNode: SecondNode | null;
  private readonly doubtLog = new ThrottledLog(BETWEEN_DOUBT_LOGS_MS);
  private readonly loop: Promise<void>;

  constructor(private readonly options: ChainListenerOptions) {
    const { database, chainRef, profile } = options;
    const offersCoin = profile.tokens.some(({ contract }) => contract === NATIVE_COIN);
    this.native = offersCoin ? new NativeReadPlanner(database, chainRef, profile) : null;
    this.recentBalances = this.native === null ? null : this.openRecentBalances(this.native);
    this.steps = new StepSource(options.nodes, this.readerContext());
    this.secondNode = options.nodes.count > 1 ? this.openSecondNode() : null;
    this.heads = options.nodes.watchHeads(() => this.nudge());
    this.loop = this.run();
  }

  /** Brings the next tick forward. */
  nudge(): void {
    this.wake();
  }

  /** Ends after the tick that is under way. */
  async stop(): Promise<void> {
    this.running = false;
    this.heads.close();
    this.nudge();
    await Promise.all([this.loop, this.secondNode?.stop(), this.recentBalances?.stop()]);
  }

  private async run(): Promise<void> {
    while (this.running) {
      let nudged = false;
      const nudge = new Promise<void>((resolve) => {
        this.wake = () => {
          nudged = true;
          resolve();
        };
      });
      const behind = await this.tickSafely();
      if (behind || nudged || !this.running) continue;
      await this.pause(nudge);
    }
  }

  /** Waits for the next poll or a nudge, whichever comes first. */
  private async pause(nudge: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const poll = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.pollMs());
    });
    await Promise.race([nudge, poll]);
    clearTimeout(timer);
  }

  private pollMs(): number {
    const calm = Math.min(Math.max(this.options.profile.blockIntervalMs, POLL_MIN_MS), POLL_MAX_MS);
    return Math.min(calm * 2 ** Math.min(this.failures, 5), Math.max(calm, BACKOFF_MAX_MS));
  }

  /** Returns whether there is more to read at once. Failures are logged, never thrown: the loop continues, slower. */
  private async tickSafely(): Promise<boolean> {
    try {
      const behind = await this.tick();
      this.failures = 0;
      this.contradictions = 0;
      return behind;
    } catch (error) {
      this.failures++;
      if (!(error instanceof ReorgBeyondFinality)) this.contradictions = 0;
      await this.handle(error);
      return false;
    }
  }

  private async handle(error: unknown): Promise<void> {
    const { logger, chainRef } = this.options;
    if (error instanceof ReorgBeyondFinality) {
      await this.halt(error).catch((failure: unknown) => this.handle(failure));
    } else if (error instanceof ChainHalted || error instanceof LeaseLost || error instanceof CursorMoved) {
      logger.warn({ chainRef }, error.message);
    } else if (error instanceof ChainUnavailable) {
      logger.warn({ chainRef, failures: this.failures, reason: error.message }, 'The chain is unavailable.');
    } else {
      logger.error({ chainRef, err: error }, 'Reading the chain failed; it is tried again.');
    }
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
    await this.reportDoubt(former, doubt);
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
    // A node that announces more blocks than it returns is not asked again before the next poll.
    return !step.isCaughtUp && step.blocks.length > 0;
  }

  /** Stores and logs that nodes disagree on a final block, or agree again. */
  private async reportDoubt(former: string | null, doubt: string | null): Promise<void> {
    const { logger, chainRef, database, lease, onDoubt } = this.options;
    if (doubt !== former) await storeDoubt(database, chainRef, doubt, lease);
    onDoubt(doubt !== null);
    if (doubt !== null)
      this.doubtLog.write(() =>
        logger.error({ chainRef, doubt }, 'Nodes disagree on a final block: nothing becomes final.'),
      );
    else if (former !== null) logger.info({ chainRef, former }, 'The nodes agree on final blocks again.');
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
    const { chainRef, nodes, secondNodeAboveCents: aboveCents, database, lease, logger, onDenied } = this.options;
    const onReported = (): void => this.nudge();
    return new SecondNode({ chainRef, nodes, aboveCents, database, lease, logger, onDenied, onReported });
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

import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { BlockClient, BlockRef } from '../../chains/chain.js';
import type { ChainNodes } from '../../chains/nodes/chain-nodes.js';
import type { NetworkProfile } from '../../chains/networks.js';
import { addressFamilyOf, NETWORKS } from '../../domain/network.js';
import type { Database } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { differences } from './native-remainders.js';
import { BEFORE_ALL_RECENT, nextRecent, RECENT_PAGE } from './native-reads.sql.js';

/** A round over 10,000 addresses takes ten requests, so it takes as long as the time between two rounds. */
const BETWEEN_REQUESTS_MS = 600;
const BETWEEN_ROUNDS_MS = 6_000;
/** After a failure, doubled with each one in a row. */
const PAUSE_MIN_MS = 2_000;
const PAUSE_MAX_MS = 60_000;

/** The clock that sets the pace. */
export interface PaceClock {
  nowMs(): number;
  /** Ends early when `signal` is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const REAL_CLOCK: PaceClock = {
  nowMs: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
};

export interface RecentBalancesOptions {
  readonly chainRef: string;
  readonly profile: Pick<NetworkProfile, 'environment' | 'addressFamily'>;
  readonly nodes: Pick<ChainNodes<BlockClient>, 'askInUse'>;
  readonly database: Database;
  readonly logger: Logger;
  /** Called with addresses (lower case) that hold more of the chain's own coin than the books say. */
  readonly onExcess: (addresses: readonly string[]) => void;
}

/**
 * Finds coins of the chain on the addresses of intents that are open or ended within a day, whatever token they ask
 * for. It runs beside the steps of the listener, at a steady pace, and only while new blocks arrive. It books nothing:
 * a step reads each reported address again at the block that it records, so a wrong balance costs one request and
 * changes nothing.
 */
export class RecentBalances {
  private newest: BlockRef | null = null;
  private running: Promise<void> | null = null;
  private place = BEFORE_ALL_RECENT;
  /** The newest block when the round began. */
  private roundBlock: BlockRef | null = null;
  /** Hash of a block at which, or after which, every recent address was read. */
  private readAt: string | null = null;
  private nextRequestAtMs = 0;
  private nextRoundAtMs = 0;
  private failures = 0;
  private hasReportedRefusal = false;
  private readonly networks: readonly string[];
  private readonly stopping = new AbortController();

  constructor(
    private readonly options: RecentBalancesOptions,
    private readonly clock: PaceClock = REAL_CLOCK,
  ) {
    const { addressFamily } = options.profile;
    this.networks = NETWORKS.filter((network) => addressFamilyOf(network) === addressFamily);
  }

  /**
   * Checks until every recent address was read at `block` or later, or a node fails. Joins a round that is under way.
   * Never fails.
   * @param block the newest recorded block, which was the chain's head
   */
  check(block: BlockRef): Promise<void> {
    this.newest = block;
    this.running ??= this.run().finally(() => (this.running = null));
    return this.running;
  }

  /** Ends after the request that is under way. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { logger, chainRef } = this.options;
    try {
      while (this.newest !== null && this.newest.hash !== this.readAt) {
        await this.pause();
        if (this.stopping.signal.aborted || !(await this.readPage(this.newest))) return;
      }
    } catch (error) {
      logger.error({ chainRef, err: error }, 'The balances of recent addresses could not be compared.');
      this.backOff();
    }
  }

  private async pause(): Promise<void> {
    const dueAtMs = this.isBetweenRounds ? Math.max(this.nextRequestAtMs, this.nextRoundAtMs) : this.nextRequestAtMs;
    const pauseMs = dueAtMs - this.clock.nowMs();
    if (pauseMs > 0) await this.clock.sleep(pauseMs, this.stopping.signal);
  }

  private get isBetweenRounds(): boolean {
    return this.place === BEFORE_ALL_RECENT;
  }

  /** Reads the next page of the round at `block`. False when no node answered. */
  private async readPage(block: BlockRef): Promise<boolean> {
    if (this.isBetweenRounds) {
      this.roundBlock = block;
      this.nextRoundAtMs = this.clock.nowMs() + BETWEEN_ROUNDS_MS;
    }
    const page = await this.nextPage();
    const addresses = page.flatMap((row) => row.addressKey ?? []);
    if (addresses.length > 0 && !(await this.compare(block, addresses))) {
      this.backOff();
      return false;
    }
    this.failures = 0;
    const last = page.at(-1);
    const isRoundOver = last === undefined || page.length < RECENT_PAGE;
    this.place = isRoundOver ? BEFORE_ALL_RECENT : last;
    if (isRoundOver) this.readAt = this.roundBlock?.hash ?? null;
    return true;
  }

  private nextPage(): Promise<readonly RowOf<typeof nextRecent>[]> {
    const { database, profile } = this.options;
    return database.rows(nextRecent(profile.environment, this.networks, this.place));
  }

  /** Compares balances with the books. Returns false when the node did not return them. */
  private async compare(block: BlockRef, addresses: readonly string[]): Promise<boolean> {
    const { nodes, database, chainRef, onExcess } = this.options;
    this.nextRequestAtMs = this.clock.nowMs() + BETWEEN_REQUESTS_MS;
    const balances = await nodes.askInUse(async (client) => {
      if (client.balancesPerRequest >= RECENT_PAGE) return (await client.coinBalances(block, addresses)).units;
      // Where no node keeps past balances, none reads many at once, and another one would not help.
      if (client.keepsPastBalances) this.reportRefusal();
      return null;
    });
    if (balances === null) return false;
    const onChain = addresses.map((address, index) => ({ address, units: balances[index] ?? 0n }));
    const found = await differences(
      database.em(),
      chainRef,
      block,
      onChain.filter(({ units }) => units > 0n),
    );
    const excess = found.filter(({ units }) => units > 0n).map(({ address }) => address);
    if (excess.length > 0) onExcess(excess);
    return true;
  }

  private reportRefusal(): void {
    const { logger, chainRef } = this.options;
    if (this.hasReportedRefusal) return;
    this.hasReportedRefusal = true;
    logger.warn({ chainRef }, 'The node reads balances one by one, so coins sent by mistake are noticed late.');
  }

  private backOff(): void {
    const pauseMs = Math.min(PAUSE_MIN_MS * 2 ** this.failures, PAUSE_MAX_MS);
    this.failures++;
    this.nextRequestAtMs = this.clock.nowMs() + pauseMs;
  }
}

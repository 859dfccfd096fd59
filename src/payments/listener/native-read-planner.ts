import type { BlockClient } from '../../chains/chain.js';
import type { Pool } from '../addresses/pool-addresses.sql.js';
import type { Database } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { findAwaitedCoins, findWaiting, nextOfRound } from './native-reads.sql.js';

const WAITING_PER_STEP_MAX = 1_000;
const SUSPECTS_PER_STEP_MAX = 1_000;
const BETWEEN_TURNS_MS = 10_000;
/** Below the id of every intent. */
const BELOW_ALL_IDS = '';

/** The balances that the node currently reads. */
export type BalanceLimits = Pick<BlockClient, 'balancesPerRequest' | 'balancesPerStep'>;

/** One batch of the background scan over all addresses; progress is saved with the step. */
export interface NativeTurn {
  /** The next turn begins below this address id; null = a new round begins. */
  readonly nextBelow: string | null;
}

/** The reads of a step for the chain's own coin. */
export interface NativeReading {
  /** Whether its blocks are read in full, for the transactions that move the coin. */
  readonly transactions: boolean;
  /** Addresses, each once, whose balance is read at the step's top block. */
  readonly balancesOf: readonly string[];
  /** Absent when no turn is due. */
  readonly turn?: NativeTurn;
}

/** The position of this process in its rounds. */
interface Place {
  /** The next read of the intents that expect the coin begins above this intent. */
  readonly waitingAbove: string;
  readonly turnAtMs: number;
  /** As of when the first addresses of this round over the waiting ones were read; null = it begins. */
  readonly roundSince: Date | null;
  /** The same of the last whole round. */
  readonly readTo: Date;
}

const NEVER = new Date(0);

/**
 * Decides what a step reads of the chain's own coin. Balances show what no block shows. They are read at every head
 * where the coin is expected, and in slow turns everywhere else, so that coins sent to other addresses are found.
 * `RecentBalances` checks the addresses of recent intents more often, beside the steps, and reports suspects here.
 */
export class NativeReadPlanner {
  private place: Place = { waitingAbove: BELOW_ALL_IDS, turnAtMs: 0, roundSince: null, readTo: NEVER };
  private next = this.place;
  /** Addresses (lower case) that seem to hold more coins than the books say. */
  private readonly suspects = new Set<string>();
  private askedSuspects: readonly string[] = [];
  /** The part of the round over the waiting addresses that is planned; null = none. */
  private partOfRound: { readonly isLast: boolean } | null = null;

  constructor(
    private readonly database: Database,
    private readonly chainRef: string,
    private readonly pool: Pool,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /**
   * Returns the reads of the current step. Balances are read only when it is caught up with the head: nodes keep the
   * state of old blocks for a short while.
   */
  async plan(isCaughtUp: boolean, { balancesPerRequest, balancesPerStep }: BalanceLimits): Promise<NativeReading> {
    this.next = this.place;
    this.askedSuspects = [];
    this.partOfRound = null;
    if (!isCaughtUp) {
      const isAwaited = (await this.waiting(BELOW_ALL_IDS, 1)).length > 0 || (await this.isComingBack());
      return { transactions: isAwaited, balancesOf: [] };
    }
    const waiting = await this.nextWaiting(Math.min(WAITING_PER_STEP_MAX, balancesPerStep));
    const { addresses: others, turn } = await this.nextOthers(balancesPerRequest);
    return {
      transactions: waiting.length > 0 || (await this.isComingBack()),
      balancesOf: [...new Set([...waiting, ...others, ...this.suspected(balancesPerStep)])],
      ...(turn !== null && { turn }),
    };
  }

  /** Makes the next step read the balances of these addresses, also without a new block. */
  suspect(addresses: readonly string[]): void {
    for (const address of addresses) this.suspects.add(address);
  }

  /** Returns what a step without new blocks reads: only the balances of suspects, since no other can have changed. */
  planWithoutBlocks(): NativeReading {
    this.next = this.place;
    this.partOfRound = null;
    return { transactions: false, balancesOf: this.suspected(SUSPECTS_PER_STEP_MAX) };
  }

  /**
   * Notes the time as of which the balances of the plan were read. Returns since when every waiting address was read: an
   * address that begins to wait during a round does so after its beginning, and cannot be due before.
   */
  readAsOf(time: Date): Date {
    if (this.partOfRound === null) return this.next.readTo;
    const since = this.place.roundSince ?? time;
    const { isLast } = this.partOfRound;
    this.next = { ...this.next, ...(isLast ? { roundSince: null, readTo: since } : { roundSince: since }) };
    return this.next.readTo;
  }

  /** Marks the step as recorded: the next one reads other addresses. Those of a failed step are read again. */
  recorded(): void {
    this.place = this.next;
    for (const address of this.askedSuspects) this.suspects.delete(address);
    this.askedSuspects = [];
  }

  private suspected(max: number): readonly string[] {
    this.askedSuspects = [...this.suspects].slice(0, max);
    return this.askedSuspects;
  }

  private async nextWaiting(max: number): Promise<readonly string[]> {
    const { waitingAbove } = this.place;
    let rows = await this.waiting(waitingAbove, max + 1);
    if (rows.length === 0 && waitingAbove !== BELOW_ALL_IDS) {
      rows = await this.waiting(BELOW_ALL_IDS, max + 1);
    }
    const taken = rows.slice(0, max);
    const isRoundOver = rows.length === taken.length;
    this.partOfRound = { isLast: isRoundOver };
    this.next = {
      ...this.next,
      waitingAbove: isRoundOver ? BELOW_ALL_IDS : (taken.at(-1)?.intentId ?? ''),
      // Unless `readAsOf` follows, this part is missing in the round.
      roundSince: isRoundOver ? null : NEVER,
    };
    return taken.map((row) => row.addressKey);
  }

  private waiting(above: string, limit: number): Promise<RowOf<typeof findWaiting>[]> {
    return this.database.rows(findWaiting(this.chainRef, above, limit));
  }

  private async isComingBack(): Promise<boolean> {
    return (await this.database.rows(findAwaitedCoins(this.chainRef))).length > 0;
  }

  private async nextOthers(max: number): Promise<{ addresses: readonly string[]; turn: NativeTurn | null }> {
    const nowMs = this.nowMs();
    if (nowMs < this.place.turnAtMs) return { addresses: [], turn: null };
    const rows = await this.database.rows(nextOfRound(this.pool, this.chainRef, max));
    this.next = { ...this.next, turnAtMs: nowMs + BETWEEN_TURNS_MS };
    const isRoundOver = rows.length < max;
    return {
      addresses: rows.map((row) => row.addressKey),
      turn: { nextBelow: isRoundOver ? null : (rows.at(-1)?.id ?? null) },
    };
  }
}

const FIRST_PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 30_000;
const IDS_MAX = 10_000;

interface Pause {
  /** Monotonic milliseconds. */
  readonly until: number;
  readonly ms: number;
}

/**
 * Pauses payments whose simulation had no result, for example while the hot wallet's balance is too low at the newest
 * block. The pause doubles each time. It is kept in memory: a lost entry costs one extra simulation.
 */
export class SimulationBackoff {
  private readonly pauses = new Map<string, Pause>();

  isPaused(id: string): boolean {
    const pause = this.pauses.get(id);
    return pause !== undefined && performance.now() < pause.until;
  }

  /** Pauses a payment whose simulation had no result. */
  pause(id: string): void {
    const ms = Math.min(PAUSE_MAX_MS, 2 * (this.pauses.get(id)?.ms ?? FIRST_PAUSE_MS / 2));
    this.pauses.delete(id);
    this.pauses.set(id, { until: performance.now() + ms, ms });
    const [oldest] = this.pauses.keys();
    if (this.pauses.size > IDS_MAX && oldest !== undefined) this.pauses.delete(oldest);
  }

  /** Ends the pauses of a payment whose simulation had a result. */
  reset(id: string): void {
    this.pauses.delete(id);
  }
}

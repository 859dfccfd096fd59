const FIRST_PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 30_000;
const IDS_MAX = 10_000;

interface Pause {
  readonly until: number;
  readonly ms: number;
}

/**
 * Payments of which a simulation said nothing, such as while the hot wallet lacks the amount at the newest block: each is
 * left alone for a while that doubles. A process keeps this for itself; whatever it forgets is asked about once too often.
 */
export class SimulationBackoff {
  private readonly pauses = new Map<string, Pause>();

  isPaused(id: string): boolean {
    return (this.pauses.get(id)?.until ?? 0) > Date.now();
  }

  saidNothing(id: string): void {
    const ms = Math.min(PAUSE_MAX_MS, 2 * (this.pauses.get(id)?.ms ?? FIRST_PAUSE_MS / 2));
    this.pauses.delete(id);
    this.pauses.set(id, { until: Date.now() + ms, ms });
    const [oldest] = this.pauses.keys();
    if (this.pauses.size > IDS_MAX && oldest !== undefined) this.pauses.delete(oldest);
  }

  saidSomething(id: string): void {
    this.pauses.delete(id);
  }
}

import type { ActiveFault, Fault } from './fault.js';
import type { SeededRandom } from './seeded-random.js';

/** The rate and the number of faults. */
export interface FaultOptions {
  /** The share of requests with a fault, 0 to 1, divided among the faults. 1 (default) = all faults, always. */
  readonly share?: number;
  /** The number of hits after which each fault ends. Default: no limit. */
  readonly hitsMax?: number;
}

interface Armed {
  readonly fault: Fault;
  readonly active: ActiveFault;
  hitsLeft: number;
}

/** Decides which of the enabled faults apply to a request, and counts their hits. */
export class FaultPlan {
  private armed: readonly Armed[] = [];
  private chance = 1;
  private readonly counts = new Map<string, number>();

  constructor(private readonly random: SeededRandom) {}

  /** Replaces the enabled faults. */
  arm(faults: readonly Fault[], { share = 1, hitsMax = Infinity }: FaultOptions = {}): void {
    this.armed = faults.map((fault) => ({ fault, active: fault.begin(this.random), hitsLeft: hitsMax }));
    // A request escapes all faults with the probability 1 - share.
    this.chance = 1 - (1 - share) ** (1 / Math.max(1, faults.length));
  }

  /** Returns the faults that apply to the next request. */
  draw(): readonly DrawnFault[] {
    return this.armed
      .filter(() => this.random.chance(this.chance))
      .map((armed) => ({ name: armed.fault.name, active: armed.active, hit: () => this.hit(armed) }));
  }

  /** The number of hits of each fault so far, in the order of the first hits. */
  get hits(): ReadonlyMap<string, number> {
    return this.counts;
  }

  /** Counts a hit. Returns false when the fault has ended. */
  private hit(armed: Armed): boolean {
    if (armed.hitsLeft <= 0) return false;
    armed.hitsLeft--;
    const { name } = armed.fault;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    return true;
  }
}

/** A fault that applies to a request. */
export interface DrawnFault {
  readonly name: string;
  readonly active: ActiveFault;
  /** Called before it changes the answer; false = it has ended and must not change it. */
  readonly hit: () => boolean;
}

import type { ActiveFault, Fault } from './fault.js';
import type { SeededRandom } from './seeded-random.js';

/** How hard the faults hit. */
export interface FaultOptions {
  /** Which part of the requests goes wrong, 0 to 1; the faults divide it among them. 1 (default) = all faults, always. */
  readonly share?: number;
  /** How often each fault hits before it heals by itself. Default: it never does. */
  readonly hitsMax?: number;
}

interface Armed {
  readonly fault: Fault;
  readonly active: ActiveFault;
  hitsLeft: number;
}

/** Which faults are on, which of them meets a request, and how often each has hit. */
export class FaultPlan {
  private armed: readonly Armed[] = [];
  private chance = 1;
  private readonly counts = new Map<string, number>();

  constructor(private readonly random: SeededRandom) {}

  /** Puts these faults in the place of those that were on. */
  arm(faults: readonly Fault[], { share = 1, hitsMax = Infinity }: FaultOptions = {}): void {
    this.armed = faults.map((fault) => ({ fault, active: fault.begin(this.random), hitsLeft: hitsMax }));
    // So that a request escapes all of them together with the probability 1 - share.
    this.chance = 1 - (1 - share) ** (1 / Math.max(1, faults.length));
  }

  /** The faults that meet the next request. */
  draw(): readonly DrawnFault[] {
    return this.armed
      .filter(() => this.random.chance(this.chance))
      .map((armed) => ({ name: armed.fault.name, active: armed.active, hit: () => this.hit(armed) }));
  }

  /** How often each fault has hit so far, in the order of the first hits. */
  get hits(): ReadonlyMap<string, number> {
    return this.counts;
  }

  /** Counts a hit; false when the fault has healed. */
  private hit(armed: Armed): boolean {
    if (armed.hitsLeft <= 0) return false;
    armed.hitsLeft--;
    const { name } = armed.fault;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    return true;
  }
}

/** A fault that meets a request. */
export interface DrawnFault {
  readonly name: string;
  readonly active: ActiveFault;
  /** Called when it would change the answer; false = it has healed meanwhile and must not. */
  readonly hit: () => boolean;
}

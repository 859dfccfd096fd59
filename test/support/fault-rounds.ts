import type { Fault } from '../../src/devtools/chaos/fault.js';
import { FAULTS } from '../../src/devtools/chaos/faults.js';
import { SeededRandom } from '../../src/devtools/chaos/seeded-random.js';

const SEED_BY_DEFAULT = 20_261_121;
const SHARE = 0.8;
/** Each of these faults takes the client's whole timeout, which is long. */
const SLOWEST = 'timeout';
/** A listener checks the chain when it connects, and learns only once how large a range may be. */
const SEEN_AT_START = ['wrong-chain-id', 'wrong-genesis', 'range-too-large'];

/** One round of the suite: some faults at once, while customers pay. */
export interface FaultRound {
  readonly faults: readonly Fault[];
  readonly share: number;
  /** A fault heals after so many hits: one that stops all progress must end for a payment to succeed. */
  readonly hitsMax: number;
  /** Whether the listener is restarted during these faults. */
  readonly atStart: boolean;
}

/** `FAULT_SEED`, or the default seed. */
export const faultSeed = (): number => Number(process.env['FAULT_SEED'] ?? SEED_BY_DEFAULT);

/** Each fault alone, and each once more with another random one; in random order. */
export function roundsOf(seed: number): FaultRound[] {
  const random = new SeededRandom(seed);
  const faults = random.shuffled(FAULTS.filter(({ needsSecondNode }) => needsSecondNode !== true));
  const pairs = faults.flatMap((fault, index) => {
    const other = faults[index + 1] ?? faults[0];
    return index % 2 === 0 && other !== undefined ? [[fault, other]] : [];
  });
  const acts = random.shuffled([...faults.map((fault) => [fault]), ...pairs]);
  const isSlow = (act: readonly Fault[]): boolean => act.some(({ name }) => name === SLOWEST);
  // The slow ones come first, in parallel with all others.
  return [...acts.filter(isSlow), ...acts.filter((act) => !isSlow(act))].map((act) => {
    const atStart = act.some(({ name }) => SEEN_AT_START.includes(name));
    // Faults at the start must not be missed by chance.
    return { faults: act, share: atStart ? 1 : SHARE, hitsMax: act.length > 1 || isSlow(act) ? 1 : 2, atStart };
  });
}

/** The names of the faults of a round, for display. */
export const nameOf = ({ faults }: FaultRound): string => faults.map(({ name }) => name).join(' + ');

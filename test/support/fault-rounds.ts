import type { Fault } from '../../src/devtools/chaos/fault.js';
import { FAULTS } from '../../src/devtools/chaos/faults.js';
import { SeededRandom } from '../../src/devtools/chaos/seeded-random.js';

const SEED_BY_DEFAULT = 20_261_121;
const SHARE = 0.8;
/** Faults that cost the client's whole timeout each time. */
const SLOWEST = 'timeout';
/** Faults of questions that a listener asks only when it starts: the chain's identity and the batch size. */
const SEEN_AT_START = ['wrong-chain-id', 'wrong-genesis', 'range-too-large'];

/** One round of the suite: some faults at once, while customers pay. */
export interface FaultRound {
  readonly faults: readonly Fault[];
  readonly share: number;
  /** A fault ends after this many hits, because one that stops all progress must end before a payment gets through. */
  readonly hitsMax: number;
  /** The listener is started again under these faults. */
  readonly atStart: boolean;
}

/** `FAULT_SEED`, or the seed of every day. */
export const faultSeed = (): number => Number(process.env['FAULT_SEED'] ?? SEED_BY_DEFAULT);

/** Returns each fault alone, and each once more with a random other one, in random order. */
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
    // A question that is asked once must not be missed by chance.
    return { faults: act, share: atStart ? 1 : SHARE, hitsMax: act.length > 1 || isSlow(act) ? 1 : 2, atStart };
  });
}

/** The names of a round's faults, for messages. */
export const nameOf = ({ faults }: FaultRound): string => faults.map(({ name }) => name).join(' + ');

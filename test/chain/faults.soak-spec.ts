import { FAULTS } from '../../src/devtools/chaos/faults.js';
import { FaultLane, type LaneReport } from '../support/fault-lane.js';
import { type FaultRound, faultSeed, nameOf, roundsOf } from '../support/fault-rounds.js';

const LANES = 3;
const ENDS_WITHIN_MS = 300_000;

const seed = faultSeed();
const lanes: FaultLane[] = [];
beforeAll(async () => {
  await allOf(Array.from({ length: LANES }, async (_, lane) => lanes.push(await FaultLane.open(seed + lane))));
});
afterAll(() => Promise.all(lanes.map((lane) => lane.stop())));

describe('a service whose only node breaks in every known way', () => {
  it(
    'credits each payment once, with one event, under each fault alone and in pairs [F-67] [F-68] [F-69] [F-70] [F-71] [F-72] [F-73] [F-77] [F-78]',
    async () => {
      const rounds = roundsOf(seed);
      const left = [...rounds];
      const work = lanes.map(async (lane) => {
        for (let round = left.shift(); round !== undefined; round = left.shift()) {
          await playOrTell(lane, round, () => left.splice(0));
        }
        return lane.close();
      });
      const reports = await allOf(work);
      process.stdout.write(`${lineOf(rounds.length, reports)}\n`);
      const hit = new Set(reports.flatMap(({ hits }) => [...hits.keys()]));
      expect(FAULTS.filter(({ name, needsSecondNode }) => !needsSecondNode && !hit.has(name))).toEqual([]);
    },
    ENDS_WITHIN_MS,
  );
});

/** Plays a round; when it fails, the other lanes begin no further one. */
async function playOrTell(lane: FaultLane, round: FaultRound, stop: () => void): Promise<void> {
  try {
    await lane.play(round);
  } catch (cause) {
    stop();
    throw new Error(`It was so under ${nameOf(round)}, with FAULT_SEED=${seed}.`, { cause });
  }
}

/** Waits for all of them, also when one fails: work that continues behind a test disturbs the next. */
async function allOf<Result>(work: readonly Promise<Result>[]): Promise<Result[]> {
  const settled = await Promise.allSettled(work);
  return settled.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

/** The run in one line. */
function lineOf(rounds: number, reports: readonly LaneReport[]): string {
  const sum = (part: (report: LaneReport) => number): number => reports.reduce((total, one) => total + part(one), 0);
  const counts = FAULTS.map(({ name }) => [name, sum(({ hits }) => hits.get(name) ?? 0)] as const);
  const faults = counts.filter(([, count]) => count > 0);
  return [
    `FAULTS seed=${seed} rounds=${rounds} requests=${sum(({ requests }) => requests)}`,
    `faults=${faults.reduce((total, [, count]) => total + count, 0)} (${faults.map((entry) => entry.join('=')).join(' ')})`,
    `intents=${sum(({ intents }) => intents)} payments=${sum(({ payments }) => payments)}`,
    `rereads=${sum(({ rereads }) => rereads)} deliveries=${sum(({ deliveries }) => deliveries)}`,
  ].join(' ');
}

import type { EvmNetwork } from '../../src/domain/network.js';
import { buildService, type ServiceBuild } from '../support/service-build.js';
import { SweepLane, type SweptSurvival } from './sweep-lane.js';

type Lane = readonly [network: EvmNetwork, failpoints: readonly string[]];

/**
 * Where the service is killed, one after the other: each start after a kill is armed for the next point, which the recovery
 * does not pass, or passes once. What is sent is sent again and again, so the point of sending comes first.
 */
const LANES: readonly Lane[] = [
  [
    'ethereum',
    ['sweep.before_broadcast', 'sweep.signed_persisted', 'sweep.planned', 'sweep.mined_seen@2', 'sweep.posted@2'],
  ],
  ['polygon', ['sweep.before_broadcast', 'sweep.planned', 'sweep.posted@2']],
  ['bnb', ['sweep.before_broadcast', 'sweep.signed_persisted', 'sweep.mined_seen@2']],
];
const CASES = LANES.flatMap(([network, failpoints]) => failpoints.map((failpoint) => [failpoint, network] as const));

let build: ServiceBuild;
const lanes: SweepLane[] = [];
const survivals = new Map<string, Promise<SweptSurvival>>();

beforeAll(async () => {
  build = await buildService();
  for (const lane of LANES) runLane(lane);
}, 60_000);
afterAll(async () => {
  await Promise.allSettled(survivals.values());
  await Promise.all(lanes.map((lane) => lane.close()));
  await build.remove();
});

/** Takes these failpoints one after the other; what fails is told by the test that waits for it. */
function runLane([network, failpoints]: Lane): void {
  const opened = SweepLane.open(build, network, failpoints[0] ?? '').then((lane) => {
    lanes.push(lane);
    return lane;
  });
  let turn: Promise<unknown> = Promise.resolve();
  failpoints.forEach((failpoint, place) => {
    const survival = turn.then(async () => (await opened).survive(failpoints[place + 1] ?? null));
    turn = survival.catch(() => undefined);
    survivals.set(`${network} ${failpoint}`, survival);
  });
}

describe('kill -9 while deposits are swept', () => {
  it.each(CASES)(
    'at %s on %s: the coins move once, and the books know it [I-108]',
    async (failpoint, network) => {
      const survival = await survivals.get(`${network} ${failpoint}`);
      expect(survival).toEqual({
        exit: { code: null, signal: 'SIGKILL' },
        paid: expect.any(BigInt),
        swept: [survival?.paid],
        moved: [survival?.paid],
        left: 0n,
        attempts: [1],
      });
    },
    180_000,
  );
});

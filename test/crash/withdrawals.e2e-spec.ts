import type { EvmNetwork } from '../../src/domain/network.js';
import { buildService, type ServiceBuild } from '../support/service-build.js';
import { type Survival, WithdrawalLane } from './withdrawal-lane.js';

type Lane = readonly [network: EvmNetwork, failpoints: readonly string[]];

/**
 * Where the service is killed. Each lane is a service of its own, and the start after one kill is armed for the next: with
 * a point that the recovery does not pass, or for its second passing where the recovery passes it once. What is sent is
 * sent again and again, so the points of sending come first.
 */
const LANES: readonly Lane[] = [
  ['ethereum', ['wd.before_broadcast', 'wd.signed_persisted', 'wd.nonce', 'wd.reserved']],
  ['ethereum', ['wd.broadcast_before_save', 'wd.mined_seen@2', 'wd.posted@2', 'wd.evented@2']],
  ['polygon', ['wd.broadcast_before_save', 'wd.posted@2', 'wd.nonce']],
  ['bnb', ['wd.before_broadcast', 'wd.mined_seen@2', 'wd.signed_persisted']],
];
const CASES = LANES.flatMap(([network, failpoints]) => failpoints.map((failpoint) => [failpoint, network] as const));

let build: ServiceBuild;
const lanes: WithdrawalLane[] = [];
const survivals = new Map<string, Promise<Survival>>();

beforeAll(async () => {
  build = await buildService();
  for (const lane of LANES) runLane(lane);
});
afterAll(async () => {
  await Promise.allSettled(survivals.values());
  await Promise.all(lanes.map((lane) => lane.close()));
  await build.remove();
});

/** Takes these failpoints one after the other; what fails is told by the test that waits for it. */
function runLane([network, failpoints]: Lane): void {
  const opened = WithdrawalLane.open(build, network, failpoints[0] ?? '').then((lane) => {
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

describe('kill -9 while money goes out', () => {
  it.each(CASES)(
    'at %s on %s: one transaction is mined, and the withdrawal ends completed [I-108]',
    async (failpoint, network) => {
      const survival = await survivals.get(`${network} ${failpoint}`);
      expect(survival).toEqual({
        exit: { code: null, signal: 'SIGKILL' },
        status: 'completed',
        mined: [survival?.shownHash],
        shownHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        arrived: survival?.ordered,
        ordered: expect.any(BigInt),
        charged: survival?.ordered,
        attempts: 1,
        events: ['withdrawal.completed'],
      });
    },
    180_000,
  );
});

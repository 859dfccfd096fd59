import { crashCases, CrashLanes, type LanePlan } from '../support/crash-lanes.js';
import { type Survival, WithdrawalLane } from './withdrawal-lane.js';

/**
 * Where the service is killed. Each lane is a service of its own, and the start after one kill is armed for the next: with
 * a point that the recovery does not pass, or for its second passing where the recovery passes it once. What is sent is
 * sent again and again, so the points of sending come first.
 */
const LANES: readonly LanePlan[] = [
  ['ethereum', ['wd.before_broadcast', 'wd.signed_persisted', 'wd.nonce', 'wd.reserved']],
  ['ethereum', ['wd.broadcast_before_save', 'wd.mined_seen@2', 'wd.posted@2', 'wd.evented@2']],
  ['polygon', ['wd.broadcast_before_save', 'wd.posted@2', 'wd.nonce']],
  ['bnb', ['wd.before_broadcast', 'wd.mined_seen@2', 'wd.signed_persisted', 'wd.simulated']],
];

let lanes: CrashLanes<Survival>;

beforeAll(async () => {
  lanes = await CrashLanes.start(LANES, (build, network, failpoint) => WithdrawalLane.open(build, network, failpoint));
});
afterAll(() => lanes.close());

describe('kill -9 while money goes out', () => {
  it.each(crashCases(LANES))(
    'at %s on %s: one transaction is mined, and the withdrawal ends completed [I-108]',
    async (failpoint, network) => {
      const survival = await lanes.survival(network, failpoint);
      expect(survival).toEqual({
        exit: { code: null, signal: 'SIGKILL' },
        status: 'completed',
        mined: [survival.shownHash],
        shownHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        arrived: survival.ordered,
        ordered: expect.any(BigInt),
        charged: survival.ordered,
        attempts: 1,
        events: ['withdrawal.completed'],
      });
    },
    180_000,
  );
});

import { crashCases, CrashLanes, type LanePlan } from '../support/crash-lanes.js';
import { SweepLane, type SweptSurvival } from './sweep-lane.js';

/**
 * Where the service is killed, one after the other: each start after a kill is armed for the next point, which the recovery
 * does not pass, or passes once. What is sent is sent again and again, so the point of sending comes first.
 */
const LANES: readonly LanePlan[] = [
  [
    'ethereum',
    ['sweep.before_broadcast', 'sweep.signed_persisted', 'sweep.planned', 'sweep.mined_seen@2', 'sweep.posted@2'],
  ],
  ['polygon', ['sweep.before_broadcast', 'sweep.planned', 'sweep.posted@2']],
  ['bnb', ['sweep.before_broadcast', 'sweep.signed_persisted', 'sweep.mined_seen@2']],
];

let lanes: CrashLanes<SweptSurvival>;

beforeAll(async () => {
  lanes = await CrashLanes.start(LANES, (build, network, failpoint) => SweepLane.open(build, network, failpoint));
}, 60_000);
afterAll(() => lanes.close());

describe('kill -9 while deposits are swept', () => {
  it.each(crashCases(LANES))(
    'at %s on %s: the coins move once, and the books know it [I-108]',
    async (failpoint, network) => {
      const survival = await lanes.survival(network, failpoint);
      expect(survival).toEqual({
        exit: { code: null, signal: 'SIGKILL' },
        paid: expect.any(BigInt),
        swept: [survival.paid],
        moved: [survival.paid],
        left: 0n,
        attempts: [1],
      });
    },
    180_000,
  );
});

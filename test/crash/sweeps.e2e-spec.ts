import { buildService, type ServiceBuild } from '../support/service-build.js';
import { SweepLane, type SweptSurvival } from './sweep-lane.js';

/**
 * Where the service is killed, one after the other: each start after a kill is armed for the next point, which the recovery
 * does not pass, or passes once. What is sent is sent again and again, so the point of sending comes first.
 */
const FAILPOINTS = [
  'sweep.before_broadcast',
  'sweep.signed_persisted',
  'sweep.planned',
  'sweep.mined_seen@2',
  'sweep.posted@2',
] as const;

let build: ServiceBuild;
let lane: SweepLane;

beforeAll(async () => {
  build = await buildService();
  lane = await SweepLane.open(build, FAILPOINTS[0]);
}, 60_000);
afterAll(async () => {
  await lane.close();
  await build.remove();
});

describe('kill -9 while deposits are swept', () => {
  it.each(FAILPOINTS.map((failpoint, place) => [failpoint, FAILPOINTS[place + 1] ?? null] as const))(
    'at %s: the coins move once, and the books know it [I-108]',
    async (_failpoint, next) => {
      const survival = await lane.survive(next);
      expect(survival).toEqual<SweptSurvival>({
        exit: { code: null, signal: 'SIGKILL' },
        paid: survival.paid,
        swept: [survival.paid],
        moved: [survival.paid],
        left: 0n,
        attempts: [1],
      });
    },
    90_000,
  );
});

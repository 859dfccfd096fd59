import { bundleService, type ServiceBuild } from '../support/service-build.js';
import { RefundLane } from './refund-lane.js';

/**
 * The points at which the service is killed, one run after the other: the next run is armed with a point that the recovery
 * does not pass, or with the second pass of one that the recovery passes once. Transactions are sent repeatedly, so the
 * point of sending comes first. The point before a send is in shared code, which the specs of withdrawals cover.
 */
const FAILPOINTS = [
  'return.broadcast_before_save',
  'return.signed_persisted',
  'return.posted@2',
  'return.nonce',
  'return.mined_seen@2',
] as const;

let build: ServiceBuild;
let lane: RefundLane;

beforeAll(async () => {
  build = await bundleService();
  lane = await RefundLane.open(build, 'polygon', FAILPOINTS[0]);
}, 60_000);
afterAll(async () => {
  await lane.close();
});

describe('kill -9 while a deposit is refunded', () => {
  it.each(FAILPOINTS.map((failpoint, place) => [failpoint, FAILPOINTS[place + 1] ?? null] as const))(
    'at %s: one transaction is mined, and the refund ends completed [I-108]',
    async (_failpoint, next) => {
      const survival = await lane.survive(next);
      expect(survival).toEqual({
        exit: { code: null, signal: 'SIGKILL' },
        mined: [survival.paidBy],
        paidBy: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        arrived: survival.deposited,
        deposited: expect.any(BigInt),
        attempts: 1,
      });
    },
    120_000,
  );
});

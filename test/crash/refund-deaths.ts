import { bundleService } from '../support/service-build.js';
import { RefundLane } from './refund-lane.js';

/**
 * Kills the service while a deposit is refunded, at one of these points after the other, and checks that it is refunded once.
 * The next run is armed with a point that the recovery does not pass, or with the second pass of one that it passes once.
 */
export function describeRefundDeaths(failpoints: readonly [string, ...string[]]): void {
  describe('kill -9 while a deposit is refunded', () => {
    let lane: RefundLane;
    beforeAll(async () => {
      lane = await RefundLane.open(await bundleService(), 'polygon', failpoints[0]);
    }, 60_000);
    afterAll(() => lane.close());

    it.each(failpoints.map((failpoint, place) => [failpoint, failpoints[place + 1] ?? null] as const))(
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
}

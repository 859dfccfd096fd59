import { crashCases, CrashLanes, type LanePlan } from '../support/crash-lanes.js';
import { SweepLane, type SweptSurvival } from './sweep-lane.js';

/** Kills the service while deposits are swept, at each point of these plans, and checks that the funds move once. */
export function describeSweepDeaths(plans: readonly LanePlan[]): void {
  describe('kill -9 while deposits are swept', () => {
    let lanes: CrashLanes<SweptSurvival>;
    beforeAll(async () => {
      lanes = await CrashLanes.start(plans, (build, asset, point) => SweepLane.open(build, asset, point));
    });
    afterAll(() => lanes.close());

    it.each(crashCases(plans))(
      'at %s on %s in %s: the funds move once, and the books show it [I-108]',
      async (failpoint, network, symbol) => {
        const survival = await lanes.survival({ network, symbol }, failpoint);
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
}

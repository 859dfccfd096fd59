import { crashCases, CrashLanes, type LanePlan } from '../support/crash-lanes.js';
import { type Survival, WithdrawalLane } from './withdrawal-lane.js';

/** Kills the service while a withdrawal is paid, at each point of these plans, and checks that it is paid once. */
export function describeWithdrawalDeaths(plans: readonly LanePlan[]): void {
  describe('kill -9 while money goes out', () => {
    let lanes: CrashLanes<Survival>;
    beforeAll(async () => {
      lanes = await CrashLanes.start(plans, (build, asset, point) => WithdrawalLane.open(build, asset, point));
    });
    afterAll(() => lanes.close());

    it.each(crashCases(plans))(
      'at %s on %s in %s: one transaction is mined, and the withdrawal ends completed [I-108]',
      async (failpoint, network, symbol) => {
        const survival = await lanes.survival({ network, symbol }, failpoint);
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
}

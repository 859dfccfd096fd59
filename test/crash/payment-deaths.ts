import { bundleService, type ServiceBuild } from '../support/service-build.js';
import { type Ending, Lane, type Survival } from './lane.js';

/** The point of the kill, its case, and the expected end of the intent. */
export type PaymentDeath = readonly [failpoint: string, tag: string, ending: Ending];

/**
 * Kills a service while a payment comes in, at each of these points, and checks that it is credited and delivered once.
 * @param count of services that run in parallel, because much of a recovery is waiting for leases to expire
 */
export function describePaymentDeaths(failpoints: readonly PaymentDeath[], count: number): void {
  describe('kill -9 and a restart', () => {
    const lanes: Lane[] = [];
    const survivals = new Map<string, Promise<Survival>>();

    /** Runs these failpoints one after the other in one lane; the test that waits for one reports its failure. */
    function runLane(build: ServiceBuild, own: readonly PaymentDeath[]): void {
      let turn: Promise<unknown> = Promise.resolve();
      const opened = Lane.open(build).then((lane) => {
        lanes.push(lane);
        return lane;
      });
      for (const [name, , ending] of own) {
        const survival = turn.then(async () => (await opened).survive(name, ending));
        turn = survival.catch(() => undefined);
        survivals.set(name, survival);
      }
      void turn;
    }

    beforeAll(async () => {
      const build = await bundleService();
      for (let i = 0; i < count; i++)
        runLane(
          build,
          failpoints.filter((_, index) => index % count === i),
        );
    });
    afterAll(async () => {
      await Promise.allSettled(survivals.values());
      await Promise.all(lanes.map((lane) => lane.close()));
    });

    it.each(failpoints)(
      'at %s: the intent ends as expected, is credited and delivered once %s',
      async (name, _tag, ending) => {
        const survival = await survivals.get(name);
        const events = ending === 'completed' ? ['processing', 'payment_received', 'completed'] : ['expired'];
        expect(survival).toEqual({
          exit: { code: null, signal: 'SIGKILL' },
          status: ending,
          credited: survival?.paid,
          paid: ending === 'completed' ? 25_000_000n : 0n,
          events,
          delivered: events,
        });
      },
      180_000,
    );
  });
}

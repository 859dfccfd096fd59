import { eventually } from '../support/eventually.js';
import { killedAt } from '../support/killed-tron-sweeps.js';
import { TronSweepScene } from '../support/tron-sweep-scene.js';

const DOLLAR = 1_000_000n;

/** Kills a process while it sweeps an address on Tron, at each of these points, and checks that it is swept once. */
export function describeTronSweepDeaths(points: readonly string[]): void {
  describe('a process that is killed while it sweeps on Tron', () => {
    let scene: TronSweepScene;
    beforeAll(async () => {
      scene = await TronSweepScene.open();
    });
    afterAll(() => scene.close());

    it.each(points)('at %s: the address is funded once and swept once', async (point) => {
      const { address } = await scene.paid('USDT', 25n * DOLLAR);
      expect(await killedAt(scene, point)).toBe('SIGKILL');
      await scene.restartWorker();
      await eventually(
        async () => {
          await scene.plan();
          return (await scene.step()).at(-1);
        },
        (sweep) => sweep?.swept !== null && sweep?.swept !== undefined,
      );
      const last = (await scene.sweeps()).at(-1);
      expect(last).toMatchObject({ swept: String(25n * DOLLAR) });
      // Bytes that a killed process never sent, or a slow one too late, may have expired: they moved nothing.
      for (const statuses of [last?.status, last?.funded]) {
        expect(statuses?.filter((status) => status !== 'expired')).toEqual(['succeeded']);
      }
      const [usdt, coins] = await scene.holds(address);
      expect([usdt, coins]).toEqual([0n, BigInt(last?.funding ?? 0) - BigInt(last?.burned ?? 0)]);
      await scene.expectBooksInOrder();
    });
  });
}

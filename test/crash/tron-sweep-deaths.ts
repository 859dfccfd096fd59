import { eventually } from '../support/eventually.js';
import { killedAt } from '../support/killed-sweeps.js';
import { TronSweepScene } from '../support/tron-sweep-scene.js';

/** Smallest units that are paid and swept: more is swept of the coin, which is worth less. */
const UNITS = { USDT: 25_000_000n, TRX: 80_000_000n };

/** Kills a process while it sweeps a token or the coin of an address on Tron, at each of these points, and checks that it is swept once. */
export function describeTronSweepDeaths(symbol: keyof typeof UNITS, points: readonly string[]): void {
  const units = UNITS[symbol];
  describe(`a process that is killed while it sweeps ${symbol} on Tron`, () => {
    let scene: TronSweepScene;
    beforeAll(async () => {
      scene = await TronSweepScene.open();
    });
    afterAll(() => scene.close());

    it.each(points)('at %s: the address is swept once, and before that funded once for a token', async (point) => {
      const { address } = await scene.paid(symbol, units);
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
      expect(last).toMatchObject({ swept: String(units) });
      // Bytes that a killed process never sent, or a slow one too late, may have expired: they moved nothing.
      for (const statuses of symbol === 'TRX' ? [last?.status] : [last?.status, last?.funded]) {
        expect(statuses?.filter((status) => status !== 'expired')).toEqual(['succeeded']);
      }
      if (symbol === 'TRX') expect(last?.funding).toBeNull();
      const [usdt, coins] = await scene.holds(address);
      expect([usdt, coins]).toEqual([0n, BigInt(last?.funding ?? 0) - BigInt(last?.burned ?? 0)]);
      await scene.expectBooksInOrder();
    });
  });
}

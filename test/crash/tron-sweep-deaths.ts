import { eventually } from '../support/eventually.js';
import { killedAt } from '../support/killed-sweeps.js';
import { type ShownSweep, TronSweepScene } from '../support/tron-sweep-scene.js';

/** Smallest units that are paid and swept: more is swept of the coin, which is worth less. */
const UNITS = { USDT: 25_000_000n, TRX: 80_000_000n };

/** The sum of what these sweeps moved, in smallest units. */
const total = (sweeps: readonly ShownSweep[], part: 'swept' | 'burned' | 'funding'): bigint =>
  sweeps.reduce((sum, sweep) => sum + BigInt(sweep[part] ?? 0), 0n);

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
      const earlier = (await scene.sweeps()).length;
      expect(await killedAt(scene, point)).toBe('SIGKILL');
      await scene.restartWorker();
      const sweeps = await eventually(
        async () => {
          await scene.plan();
          return (await scene.step()).slice(earlier);
        },
        (made) => made.some(({ swept }) => BigInt(swept ?? 0) > 0n),
      );
      expect(total(sweeps, 'swept')).toBe(units);
      // Bytes that a killed process never sent, or a slow one too late, may have expired: they moved nothing.
      const ended = (statuses: readonly string[]) => statuses.filter((status) => status !== 'expired');
      expect(ended(sweeps.flatMap(({ status }) => status))).toEqual(['succeeded']);
      expect(ended(sweeps.flatMap(({ funded }) => funded))).toEqual(symbol === 'TRX' ? [] : ['succeeded']);
      const [usdt, coins] = await scene.holds(address);
      // A funding that has expired brought nothing; a sweep that is planned again takes the coins that are there.
      const funding = total(
        sweeps.filter(({ funded }) => funded.includes('succeeded')),
        'funding',
      );
      expect([usdt, coins]).toEqual([0n, funding - total(sweeps, 'burned')]);
      await scene.expectBooksInOrder();
    });
  });
}

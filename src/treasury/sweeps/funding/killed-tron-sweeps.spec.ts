import { eventually } from '../../../../test/support/eventually.js';
import { failpointsOf, killedAt } from '../../../../test/support/killed-tron-sweeps.js';
import { TronSweepScene } from '../../../../test/support/tron-sweep-scene.js';

const DOLLAR = 1_000_000n;
const POINTS = ['sweep.planned', ...failpointsOf('funding'), ...failpointsOf('sweep')];

let scene: TronSweepScene;
beforeAll(async () => {
  scene = await TronSweepScene.open();
});
afterAll(() => scene.close());

describe('a process that is killed while it sweeps on Tron', () => {
  it.each(POINTS)('at %s: the address is funded once and swept once', async (point) => {
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

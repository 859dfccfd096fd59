import { killedProcess } from '../../../../test/support/doomed-process.js';
import { eventually } from '../../../../test/support/eventually.js';
import { aPriceSnapshot } from '../../../../test/support/factories.js';
import { TronSweepScene } from '../../../../test/support/tron-sweep-scene.js';

const DOLLAR = 1_000_000n;
/** Before the commit of a signature and after it, before and after sending, before and after a final block is recorded. */
const MOMENTS = ['nonce', 'signed_persisted', 'before_broadcast', 'broadcast_before_save', 'mined_seen', 'posted'];
const POINTS = [
  'sweep.planned',
  ...MOMENTS.map((moment) => `funding.${moment}`),
  ...MOMENTS.map((moment) => `sweep.${moment}`),
];

let scene: TronSweepScene;
beforeAll(async () => {
  scene = await TronSweepScene.open();
});
afterAll(() => scene.close());

/** Sweeps in another process until the failpoint kills it, while blocks become final. Returns how it ended. */
async function killedAt(point: string): Promise<NodeJS.Signals> {
  await aPriceSnapshot(scene.base.db.database, { USDC: '1', USDT: '1', TRX: '0.3' });
  return killedProcess({ file: 'tron-sweep-process.mjs', env: scene.place, failpoint: point }, () => scene.settle());
}

describe('a process that is killed while it sweeps on Tron', () => {
  it.each(POINTS)('at %s: the address is funded once and swept once', async (point) => {
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    expect(await killedAt(point)).toBe('SIGKILL');
    await scene.restartWorker();
    await eventually(
      async () => {
        await scene.plan();
        return (await scene.step()).at(-1);
      },
      (sweep) => sweep?.swept !== null && sweep?.swept !== undefined,
    );
    const last = (await scene.sweeps()).at(-1);
    expect(last).toMatchObject({ status: ['succeeded'], swept: String(25n * DOLLAR), funded: ['succeeded'] });
    const [usdt, coins] = await scene.holds(address);
    expect([usdt, coins]).toEqual([0n, BigInt(last?.funding ?? 0) - BigInt(last?.burned ?? 0)]);
    await scene.expectBooksInOrder();
  });
});

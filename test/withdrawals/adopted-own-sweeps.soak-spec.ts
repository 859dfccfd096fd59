import { TronRestore } from '../support/tron-restore.js';
import { TronSweepScene } from '../support/tron-sweep-scene.js';

// The cases beside those of `src/recovery/expiring/adopted-own-sweeps.spec.ts`.

const DOLLAR = 1_000_000n;
const TRX = 1_000_000n;
const ALL = String(25n * DOLLAR);

let scene: TronSweepScene;
let restored: TronRestore;
beforeEach(async () => {
  scene = await TronSweepScene.open();
  restored = new TronRestore(scene);
});
afterEach(() => scene.close());

const usdtOf = async (address: string) => (await scene.holds(address))[0];

/** The books and the chain agree. Before the sweep was adopted, the listener missed what it had burned at its address. */
async function inOrder(): Promise<void> {
  expect(await scene.compare()).toHaveLength(1);
  expect(await scene.brokenRules()).toEqual([]);
}

describe('a sweep that its address paid for and that a restored database does not have [H-106]', () => {
  it('is adopted when it took the coin, and ends the unsigned one of another token of its address', async () => {
    const { address } = await scene.paid('TRX', 500n * TRX);
    const unrecorded = await restored.lostAfter(async () => {
      await scene.plan();
      await scene.step();
    });
    expect(unrecorded).toHaveLength(1);
    await scene.pay(address, 'USDT', 25n * DOLLAR);
    await scene.asOwner(
      `update deposit_balance set retry_at = now() + interval '1 hour' where token_contract = 'native'`,
    );
    // Nothing is planned for a frozen wallet.
    await scene.query(`update hot_wallet set frozen_reason = null`);
    expect(await scene.plan()).toMatchObject([{ status: [] }]);
    expect(await restored.adopt(unrecorded)).toMatchObject([{ purpose: 'sweep' }]);
    await restored.goOn();
    const items = await scene.query(`select token_contract = 'native' as coin, swept > 0 as swept from sweep_item
                                      join sweep on sweep.id = sweep_id order by sweep.created_at, sweep.id`);
    expect(items).toEqual([
      { coin: false, swept: false },
      { coin: true, swept: true },
    ]);
    await inOrder();
    await scene.sweep();
    expect(await usdtOf(address)).toBe(0n);
    await inOrder();
  });

  it('is not what a stranger sends to the hot wallet, which is a top-up', async () => {
    await scene.base.rig.controls.fund(scene.hotWallet, 'USDT', 5n * DOLLAR);
    await scene.settle();
    await scene.worker.checkSent();
    expect(await restored.listed()).toEqual([]);
    expect(await scene.compare()).toHaveLength(2);
  });

  it('is refused while one of another token of its address may still be mined, and ends that one once it is proven dead', async () => {
    const { address } = await scene.paid('TRX', 500n * TRX);
    const unrecorded = await restored.lostAfter(async () => {
      await scene.plan();
      await scene.step();
    });
    await scene.pay(address, 'USDT', 25n * DOLLAR);
    await scene.asOwner(
      `update deposit_balance set retry_at = now() + interval '1 hour' where token_contract = 'native'`,
      `update hot_wallet set frozen_reason = null`,
    );
    await scene.plan();
    await scene.step();
    await scene.sign();
    expect(await scene.sweeps()).toMatchObject([{ swept: null, status: ['signed'] }]);
    await expect(restored.adopt(unrecorded)).rejects.toThrow('--supersede proves it');
    await expect(restored.adopt(unrecorded, { supersede: true })).rejects.toThrow(
      'was signed here for a sweep of the same balances or sender, and the nodes do not prove that it is never mined',
    );
    await scene.pastExpiry();
    expect(await restored.adopt(unrecorded, { supersede: true })).toMatchObject([{ purpose: 'sweep' }]);
    await restored.goOn();
    expect((await scene.sweeps()).map(({ status, swept }) => [status, swept !== '0'])).toEqual([
      [['expired'], false],
      [['succeeded'], true],
    ]);
    await inOrder();
  });

  it('ends the one that is signed here for the same, once the history proves it dead', async () => {
    await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    await scene.step();
    await scene.sign();
    const unrecorded = await restored.lostAfter(async () => {
      await scene.pastExpiry();
      await scene.worker.confirm();
      await scene.sweep();
      await scene.step();
    });
    await expect(restored.adopt(unrecorded.slice(-1))).rejects.toThrow('is not final yet');
    const adopted = await restored.adopt(unrecorded, { supersede: true, asLoss: true });
    expect(adopted.at(-1)).toMatchObject({ purpose: 'sweep' });
    await restored.goOn();
    expect((await scene.sweeps()).map(({ status, swept }) => [status, swept])).toEqual([
      [['expired'], '0'],
      [['succeeded'], ALL],
    ]);
    await scene.expectBooksInOrder();
  });
});

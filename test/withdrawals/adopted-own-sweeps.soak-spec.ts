import { TronRestore } from '../support/tron-restore.js';
import { TronSweepScene } from '../support/tron-sweep-scene.js';

// The cases beside those of `src/recovery/expiring/adopted-own-sweeps.spec.ts`.

const DOLLAR = 1_000_000n;
const TRX = 1_000_000n;

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
});

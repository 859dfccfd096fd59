import { eventually } from '../../../test/support/eventually.js';
import { changing } from '../../../test/support/solana-lies.js';
import { SolanaPayoutScene } from '../../../test/support/solana-payout-scene.js';

/** More than a node may be behind another one. */
const BEHIND = 200;

let scene: SolanaPayoutScene;
beforeAll(async () => {
  scene = await SolanaPayoutScene.open();
});
afterAll(() => scene.close());

it('conditions of payments are not read from a node that is far behind another one', async () => {
  await scene.lab.controls.mine(BEHIND + 50);
  const late = await scene.base.proxy(changing('getSlot', (slot: number) => slot - BEHIND));
  const current = await scene.base.proxy(null);
  scene.workThrough([late.url, current.url]);
  const asked = (): number => current.count('getLatestBlockhash');
  // The other node is known once it was probed.
  await eventually(async () => {
    await scene.worker.readConditions();
    return asked() > 0;
  });
  const before = late.count('getLatestBlockhash');
  await scene.worker.readConditions();
  expect(late.count('getLatestBlockhash')).toBe(before);
  expect(asked()).toBeGreaterThan(1);
});

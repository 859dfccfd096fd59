import { TronRestore } from '../../../test/support/tron-restore.js';
import { TronSweepScene } from '../../../test/support/tron-sweep-scene.js';

const DOLLAR = 1_000_000n;
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
  it('is listed and adopted, also while the books have it as unsigned, which ends', async () => {
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    await scene.step();
    const unrecorded = await restored.lostAfter(() => scene.step());
    expect(unrecorded).toHaveLength(1);
    expect(await restored.listed()).toEqual([
      'It sweeps 1 balances to the hot wallet. They are of known deposit addresses. 25 USDT',
    ]);
    const [adopted] = await restored.adopt(unrecorded);
    expect(adopted).toMatchObject({ isNew: true, purpose: 'sweep' });
    expect(await restored.adopt(unrecorded)).toEqual([{ ...adopted, isNew: false }]);
    await restored.goOn();
    expect(await scene.sweeps()).toMatchObject([
      { swept: '0', status: [], funded: ['succeeded'] },
      { id: adopted?.purposeId, swept: ALL, status: ['succeeded'] },
    ]);
    expect(await usdtOf(address)).toBe(0n);
    // Nothing of it was taken for a top-up of the hot wallet.
    await scene.expectBooksInOrder();
    expect(await scene.plan()).toEqual([]);
  });

  it('is adopted with the loss of its funding where the database is older than that, and the next one is swept', async () => {
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    const unrecorded = await restored.lostAfter(() => scene.sweep());
    const [funding = '', sweep = ''] = unrecorded;
    expect(unrecorded).toHaveLength(2);
    await expect(restored.adopt([funding])).rejects.toThrow('No withdrawal or refund order matches');
    expect(await restored.adopt([sweep, funding], { asLoss: true })).toMatchObject([
      { purpose: 'loss' },
      { purpose: 'sweep' },
    ]);
    await restored.goOn();
    expect(await scene.sweeps()).toMatchObject([{ swept: ALL, status: ['succeeded'] }]);
    await inOrder();
    await scene.pay(address, 'USDT', 30n * DOLLAR);
    await scene.sweep();
    expect(await scene.sweeps()).toMatchObject([{ swept: ALL }, { swept: String(30n * DOLLAR) }]);
    await inOrder();
  });
});

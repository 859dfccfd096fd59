import { unownedKeyIn } from '../support/random-values.js';
import { SceneWithdrawals } from '../support/scene-withdrawals.js';
import { TronSweepScene } from '../support/tron-sweep-scene.js';

/** In smallest units, and the order in minor ones: more than the hot wallet has, which begins with 1,000 TRX. */
const CASES = [
  { symbol: 'USDT', paid: 25_000_000n, cents: 1_000, ordered: 10_000_000n },
  { symbol: 'TRX', paid: 2_000_000_000n, cents: 1_500_000_000, ordered: 1_500_000_000n },
];

let scene: TronSweepScene;
let withdrawals: SceneWithdrawals;
beforeAll(async () => {
  scene = await TronSweepScene.open();
  const { db, profile, rig, log, tenant } = scene.base;
  withdrawals = new SceneWithdrawals({ db, profile, rpcUrl: rig.url, log, tenant, vault: scene.vault });
});
afterAll(async () => {
  await withdrawals.close();
  await scene.close();
});

/** What an owner holds of the token or the coin. */
const held = async (owner: string, symbol: string) => (await scene.holds(owner))[symbol === 'USDT' ? 0 : 1];

describe('a withdrawal on Tron of more than the hot wallet has', () => {
  it.each(CASES)('is paid in $symbol once a sweep has brought them', async ({ symbol, paid, cents, ordered }) => {
    const { address } = await scene.intent(symbol);
    await scene.pay(address, symbol, paid);
    expect(await scene.plan()).toEqual([]);
    const destination = unownedKeyIn('tron');
    const id = await withdrawals.order(symbol, cents, destination);
    await withdrawals.sign();
    expect(await withdrawals.shown(id)).toEqual({
      status: 'broadcasting',
      waiting_reason: 'coins_missing',
      signed: false,
    });

    expect(await scene.plan()).toMatchObject([{ reason: 'withdrawal' }]);
    // A token's address is funded before.
    if (symbol === 'USDT') await scene.step();
    expect((await scene.step()).at(-1)).toMatchObject({ reason: 'withdrawal', swept: String(paid) });
    expect(await scene.plan()).toEqual([]);

    await withdrawals.pay(id, () => scene.settle());
    expect(await withdrawals.shown(id)).toEqual({ status: 'completed', waiting_reason: null, signed: true });
    expect(await held(destination, symbol)).toBe(ordered);
    await scene.expectBooksInOrder();
  });
});

import { type ShownSweep, TronSweepScene } from '../support/tron-sweep-scene.js';

// The cases beside those of `src/treasury/sweeps/funding/tron-sweeps.spec.ts`.

const DOLLAR = 1_000_000n;
const TRX = 1_000_000n;
const ALL = String(25n * DOLLAR);

let scene: TronSweepScene;
beforeEach(async () => {
  scene = await TronSweepScene.open();
});
afterEach(() => scene.close());

const usdtOf = async (owner: string) => (await scene.holds(owner))[0];
const coinsOf = async (owner: string) => (await scene.holds(owner))[1];
const burnedBy = (sweep: ShownSweep | undefined): bigint => BigInt(sweep?.burned ?? -1);
const failures = async () =>
  (
    await scene.query<{ failures: number }>(`select failures from deposit_balance where token_contract <> 'native'`)
  ).map((balance) => balance.failures);

describe('sweeps on Tron', () => {
  it('are planned for several addresses at once, each in a transaction of its own', async () => {
    const intents = [await scene.paid('USDT', 25n * DOLLAR), await scene.paid('USDT', 26n * DOLLAR)];
    const trx = await scene.paid('TRX', 80n * TRX);
    const swept = await scene.sweep();
    expect(swept.map(({ status }) => status)).toEqual([['succeeded'], ['succeeded'], ['succeeded']]);
    for (const { address } of [...intents, trx]) expect(await usdtOf(address)).toBe(0n);
    expect(await usdtOf(scene.hotWallet)).toBe(51n * DOLLAR);
    await scene.expectBooksInOrder();
  });

  it('that have expired after their funding are planned again, and need no second one', async () => {
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    await scene.step();
    await scene.sign();
    await scene.pastExpiry();
    expect(await scene.confirm()).toMatchObject([{ status: ['expired'], swept: '0', funded: ['succeeded'] }]);
    expect(await failures()).toEqual([0]);
    await scene.expectBooksInOrder();
    await scene.plan();
    const [, again] = await scene.step();
    expect(again).toMatchObject({ status: ['succeeded'], swept: ALL, funding: null });
    expect(await usdtOf(address)).toBe(0n);
    await scene.expectBooksInOrder();
  });

  it('of an address that is frozen after its funding fail, and keep the rest of it for later', async () => {
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    await scene.step();
    await scene.base.rig.controls.blacklist('USDT', address);
    await scene.settle();
    const [failed] = await scene.step();
    expect(failed).toMatchObject({ status: ['reverted'], swept: '0' });
    expect(await coinsOf(address)).toBe(BigInt(failed?.funding ?? 0) - burnedBy(failed));
    await scene.expectBooksInOrder();
    await scene.base.rig.controls.unblacklist('USDT', address);
    await scene.settle();
    await scene.retry();
    const [, again] = await scene.sweep();
    expect(again).toMatchObject({ status: ['succeeded'], swept: ALL });
    expect(BigInt(again?.funding ?? 0)).toBe(burnedBy(failed));
    await scene.expectBooksInOrder();
  });
});

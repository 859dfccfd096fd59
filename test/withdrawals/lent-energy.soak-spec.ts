import { type ShownSweep, TronSweepScene } from '../support/tron-sweep-scene.js';

// The cases beside those of `src/treasury/sweeps/energy/lent-energy.spec.ts`.

const DOLLAR = 1_000_000n;
const TRX = 1_000_000n;
const ALL = String(25n * DOLLAR);
/** Enough for several sweeps at once. */
const STAKE = 16_000n * TRX;

let scene: TronSweepScene;
beforeEach(async () => {
  scene = await TronSweepScene.open(STAKE);
});
afterEach(() => scene.close());

const newest = async (): Promise<ShownSweep | undefined> => (await scene.sweeps()).at(-1);
const steps = async (count: number): Promise<ShownSweep | undefined> => {
  for (let step = 0; step < count; step++) await scene.step();
  return newest();
};
/** What the chain says is lent. */
const lent = async () => (await scene.client.finalBalancesOf(scene.hotWallet, ['native'], 0)).lent;

describe('a sweep with lent energy', () => {
  it('of an address without free bytes is funded for these alone', async () => {
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    await steps(4);
    await scene.pay(address, 'USDT', 20n * DOLLAR);
    await scene.plan();
    const again = await newest();
    // Twice the bytes of a transfer, less the sun that it has.
    expect(again?.funding).toBe(String(2n * 360_000n - 1n));
    expect(again?.loan).not.toBeNull();
    const swept = await steps(4);
    expect(swept).toMatchObject({ status: ['succeeded'], swept: String(20n * DOLLAR), returned: ['succeeded'] });
    expect(BigInt(swept?.burned ?? 0)).toBeLessThan(TRX);
    await scene.expectBooksInOrder();
  });

  it('gives its energy back until that is final, however often it expires [I-119]', async () => {
    await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    await steps(3);
    for (let times = 0; times < 2; times++) {
      await scene.sign();
      await scene.pastExpiry();
      await scene.confirm();
    }
    expect(await newest()).toMatchObject({ returned: ['expired', 'expired'] });
    expect(await lent()).toBeGreaterThan(0n);
    await scene.expectBooksInOrder();
    expect(await steps(1)).toMatchObject({ returned: ['expired', 'expired', 'succeeded'] });
    expect(await lent()).toBe(0n);
    await scene.expectBooksInOrder();
  });
});

describe('a stake that is gone', () => {
  it('after the loan is signed: nodes refuse it, and the sweep is planned again [I-119]', async () => {
    await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    await scene.step();
    await scene.sign();
    await scene.unstake(STAKE);
    await scene.send();
    await scene.pastExpiry();
    await scene.confirm();
    expect(await newest()).toMatchObject({ lent: ['expired'], swept: '0' });
    await scene.plan();
    expect(await steps(2)).toMatchObject({ loan: null, status: ['succeeded'], swept: ALL });
  });
});

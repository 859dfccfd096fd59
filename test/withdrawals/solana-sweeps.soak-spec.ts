import { SolanaSweepScene } from '../support/solana-sweep-scene.js';
import { associatedTokenAccount } from '../../src/chains/solana/token-account.js';

// The cases beside those of `src/treasury/sweeps/expiring/expiring-sweeps.spec.ts`.

const DOLLAR = 1_000_000n;
const SOL = 1_000_000_000n;

let scene: SolanaSweepScene;
beforeEach(async () => {
  scene = await SolanaSweepScene.open();
});
afterEach(() => scene.close());

/** The books and the chain agree, and nothing but the first funds of the hot wallet was a top-up. */
async function expectBooksInOrder(): Promise<void> {
  expect(await scene.compare()).toEqual([String(10n * SOL)]);
  expect(await scene.brokenRules()).toEqual([]);
}
const failures = async () =>
  (await scene.query<{ failures: number }>(`select failures from deposit_balance order by address_id`)).map(
    (balance) => balance.failures,
  );
const usdcOf = async (owner: string) => (await scene.holds(owner))[0];
/** Freezes the USDC of an address, as their issuer does, in a block of its own. */
async function freeze(owner: string): Promise<void> {
  const { controls } = scene.scene.lab;
  await controls.freeze(await associatedTokenAccount(owner, scene.token('USDC')));
  await controls.mine();
}

describe('sweeps on Solana', () => {
  it('hide no equal payment of an open intent while they are not final', async () => {
    const { address } = await scene.intent('USDC');
    await scene.pay(address, 'USDC', 10n * DOLLAR);
    await scene.planned(address, 'USDC', 10n * DOLLAR);
    await scene.sign();
    await scene.send();
    const txHash = await scene.scene.fund({ owner: address, token: 'USDC', amount: 10n * DOLLAR });
    await scene.untilCredited(txHash);
    expect(await scene.sweeps()).toMatchObject([{ status: 'signed', swept: [null] }]);
    await scene.confirm();
    await expectBooksInOrder();
  });

  it('with an account that is frozen after they are planned hold up no other for long', async () => {
    const [frozen, other] = [await scene.paid('USDC', 25n * DOLLAR), await scene.paid('USDC', 25n * DOLLAR)];
    await scene.plan();
    await freeze(frozen.address);
    await scene.sign();
    await scene.send();
    expect(await scene.confirm()).toMatchObject([{ status: 'reverted', swept: ['0', '0'] }]);
    await scene.retry();
    const [, again, ...more] = await scene.sweep();
    expect([again?.status, more]).toEqual(['succeeded', []]);
    expect([await usdcOf(frozen.address), await usdcOf(other.address)]).toEqual([25n * DOLLAR, 0n]);
    expect(await failures()).toEqual([2, 0]);
    await expectBooksInOrder();
  });
});

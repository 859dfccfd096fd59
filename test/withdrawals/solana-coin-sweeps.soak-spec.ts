import { generateKeyPairSigner } from '@solana/kit';
import { SceneWithdrawals } from '../support/scene-withdrawals.js';
import { SolanaSweepScene } from '../support/solana-sweep-scene.js';

const SOL = 1_000_000_000n;
/** In minor units: more than the hot wallet has, which begins with 10 SOL. */
const ORDERED_CENTS = 15 * 100_000_000;

let scene: SolanaSweepScene;
let withdrawals: SceneWithdrawals;
beforeAll(async () => {
  scene = await SolanaSweepScene.open();
  const { db, profile, lab, log, tenant } = scene.scene;
  withdrawals = new SceneWithdrawals({ db, profile, rpcUrl: lab.chain.url, log, tenant, vault: scene.vault });
});
afterAll(async () => {
  await withdrawals.close();
  await scene.close();
});

/** The books and the chain agree, and nothing but the first funds of the hot wallet was a top-up. */
async function expectBooksInOrder(): Promise<void> {
  expect(await scene.compare()).toEqual([String(10n * SOL)]);
  expect(await scene.brokenRules()).toEqual([]);
}

// In tokens: `src/treasury/sweeps/expiring/expiring-sweeps.spec.ts`.
describe('a withdrawal on Solana of more than the hot wallet has', () => {
  it('is paid in SOL once a sweep has brought them', async () => {
    const { address } = await scene.intent('SOL');
    await scene.pay(address, 'SOL', 25n * SOL);
    await scene.price();
    const { address: destination } = await generateKeyPairSigner();
    const id = await withdrawals.order('SOL', ORDERED_CENTS, destination);
    await withdrawals.sign();
    expect(await withdrawals.shown(id)).toEqual({
      status: 'broadcasting',
      waiting_reason: 'coins_missing',
      signed: false,
    });

    expect(await scene.sweep()).toMatchObject([
      { reason: 'withdrawal', status: 'succeeded', swept: [String(25n * SOL)] },
    ]);
    expect(await scene.plan()).toEqual([]);

    await withdrawals.pay(id, () => scene.settle());
    expect(await withdrawals.shown(id)).toEqual({ status: 'completed', waiting_reason: null, signed: true });
    expect(await scene.holds(destination)).toEqual([0n, 0n, 15n * SOL]);
    await expectBooksInOrder();
  });
});

describe('a sweep on Solana', () => {
  it('of SOL leaves what arrives meanwhile for the next one', async () => {
    const intent = await scene.paid('SOL', 25n * SOL);
    await scene.plan();
    await scene.sign();
    const txHash = await scene.scene.fund({ owner: intent.address, token: null, amount: 20n * SOL });
    await scene.send();
    const first = (await scene.confirm()).at(-1);
    expect(first).toMatchObject({ reason: 'threshold', status: 'succeeded', swept: [String(25n * SOL)] });
    expect(await scene.holds(intent.address)).toEqual([0n, 0n, 20n * SOL]);
    await scene.untilCredited(txHash);
    await scene.age(intent);
    await expectBooksInOrder();
    const second = (await scene.sweep()).at(-1);
    expect(second).toMatchObject({ status: 'succeeded', swept: [String(20n * SOL)] });
    expect(second?.id).not.toBe(first?.id);
    expect(await scene.holds(intent.address)).toEqual([0n, 0n, 0n]);
    await expectBooksInOrder();
  });
});

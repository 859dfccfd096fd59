import type { SweptFunds } from '../../src/chains/expiring-sweeps.js';
import { eventually } from '../support/eventually.js';
import { SolanaLab } from '../support/solana-lab.js';
import { SolanaSweepScene } from '../support/solana-sweep-scene.js';

// The cases beside those of `src/recovery/expiring/adopted-moves.spec.ts`.

const DOLLAR = 1_000_000n;
const SOL = 1_000_000_000n;
const EXPIRED_AFTER = 160;

let lab: SolanaLab;
let scene: SolanaSweepScene;
beforeAll(async () => {
  lab = await SolanaLab.open();
});
afterAll(() => lab.close());
beforeEach(async () => {
  scene = await SolanaSweepScene.open(lab);
});
afterEach(() => scene.close());

const usdc = (amount: bigint, closesAccount = true): SweptFunds => {
  return { token: scene.token('USDC'), account: null, decimals: 6, amount, closesAccount };
};

/** The worker finds what is missing, and freezes the wallet. */
async function expectFrozen(): Promise<void> {
  await scene.worker.checkSent();
  const [wallet] = await scene.query<{ frozen_reason: string | null }>(`select frozen_reason from hot_wallet`);
  expect(wallet?.frozen_reason).toContain('not recorded here');
}

/** The books and the chain agree, and nothing but the first funds of the hot wallet was a top-up. */
async function expectBooksInOrder(): Promise<void> {
  await scene.query(`update hot_wallet set frozen_reason = null`);
  expect(await scene.compare()).toEqual([String(10n * SOL)]);
  expect(await scene.brokenRules()).toEqual([]);
  expect(await scene.query(`select from hot_wallet where frozen_reason is not null`)).toEqual([]);
}

describe('a sweep that a restored database does not have [H-106]', () => {
  it('is adopted although its deposit is missing as well: the listener finds that afterwards', async () => {
    const intent = await scene.intent('USDC');
    await scene.scene.lab.settle();
    await scene.scene.stopListening();
    await scene.scene.fund({ owner: intent.address, token: 'USDC', amount: 25n * DOLLAR });
    const lost = await scene.signedElsewhere([{ owner: intent.address, funds: [usdc(25n * DOLLAR)] }]);
    await scene.client.broadcastAll([lost.raw]);
    await scene.scene.lab.controls.mine();
    await scene.scene.lab.settle();
    scene.scene.listen();
    await expectFrozen();
    expect(await scene.scene.deposits()).toEqual([]);
    await scene.adopt(lost.txHash);
    await scene.confirm();
    const [deposit] = await eventually(
      async () => {
        scene.scene.nudge();
        return scene.query<{ tx_hash: string; intent_id: string }>(
          `select tx_hash, intent_id from deposit where status = 'confirmed'`,
        );
      },
      (found) => found.length > 0,
    );
    expect(deposit?.intent_id).toBe(intent.id);
    await scene.untilCredited(deposit?.tx_hash ?? '');
    await expectBooksInOrder();
  });

  it('that failed ends like one, and its balances are swept again', async () => {
    const { address } = await scene.paid('USDC', 25n * DOLLAR);
    const txHash = await scene.land(await scene.signedElsewhere([{ owner: address, funds: [usdc(30n * DOLLAR)] }]));
    await expectFrozen();
    await scene.adopt(txHash);
    expect(await scene.confirm()).toMatchObject([{ status: 'reverted', swept: ['0'] }]);
    await expectBooksInOrder();
    await scene.retry();
    expect(await scene.sweep()).toMatchObject([{ status: 'reverted' }, { status: 'succeeded' }]);
    await expectBooksInOrder();
  });

  it('is not adopted while a sweep of the same balance is signed, which expires or is proven dead', async () => {
    const { address } = await scene.paid('USDC', 25n * DOLLAR);
    const [planned] = await scene.plan();
    await scene.sign();
    const txHash = await scene.land(await scene.signedElsewhere([{ owner: address, funds: [usdc(25n * DOLLAR)] }]));
    await expectFrozen();
    await expect(scene.adopt(txHash)).rejects.toThrow(
      `It sweeps 1 balances to the hot wallet. Sweep ${planned?.id} takes some of the same balances and is not final yet`,
    );
    await expect(scene.adopt(txHash, { supersede: true })).rejects.toThrow('do not prove that it is never mined');
    await scene.scene.lab.controls.mine(EXPIRED_AFTER);
    await scene.scene.lab.settle();
    await scene.adopt(txHash, { supersede: true });
    expect(await scene.sweeps()).toMatchObject([{ status: 'expired', swept: ['0'] }, { status: 'signed' }]);
    expect(await scene.confirm()).toMatchObject([{}, { status: 'succeeded', swept: [String(25n * DOLLAR)] }]);
    await expectBooksInOrder();
  });
});

import { SolanaLab } from '../../../../test/support/solana-lab.js';
import { SolanaSweepScene } from '../../../../test/support/solana-sweep-scene.js';
import { eventually } from '../../../../test/support/eventually.js';

const DOLLAR = 1_000_000n;
const SOL = 1_000_000_000n;
const RENT = 1_488_440n;
/** The lifetime of a blockhash in blocks, and some more. */
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

/** The books and the chain agree, and nothing but the first funds of the hot wallet was a top-up. */
async function expectBooksInOrder(): Promise<void> {
  expect(await scene.compare()).toEqual([String(10n * SOL)]);
  expect(await scene.brokenRules()).toEqual([]);
}

const rents = () => scene.query<{ amount: string }>(`select amount from returned_rent order by amount`);
const attempts = () => scene.query<{ tx_hash: string }>(`select tx_hash from transaction_attempt order by signed_at`);
const failures = async () =>
  (await scene.query<{ failures: number }>(`select failures from deposit_balance order by address_id`)).map(
    (balance) => balance.failures,
  );
const usdcOf = async (owner: string) => (await scene.holds(owner))[0];

// The others: `test/withdrawals/solana-sweeps.soak-spec.ts`.
describe('sweeps on Solana', () => {
  it('bring what several addresses hold in all tokens, close their accounts, and book the rent', async () => {
    const first = await scene.paid('USDC', 25n * DOLLAR);
    await scene.pay(first.address, 'USDT', 7n * DOLLAR);
    const second = await scene.paid('USDT', 25n * DOLLAR);
    const third = await scene.paid('SOL', 25n * SOL);
    await scene.age(first);
    const before = await scene.holds(scene.hotWallet);
    const [sweep, ...others] = await scene.sweep();
    expect(others).toEqual([]);
    expect(sweep).toMatchObject({ reason: 'threshold', status: 'succeeded' });
    for (const { address } of [first, second, third]) expect(await scene.holds(address)).toEqual([0n, 0n, 0n]);
    const after = await scene.holds(scene.hotWallet);
    expect([after[0], after[1]]).toEqual([25n * DOLLAR, 32n * DOLLAR]);
    const [sent] = await scene.query<{ fee_paid: string }>(`select fee_paid from chain_transaction`);
    // Three accounts were closed, and two of the hot wallet opened.
    expect(await rents()).toEqual([{ amount: String(RENT) }]);
    expect((after[2] ?? 0n) - (before[2] ?? 0n)).toBe(25n * SOL + RENT - BigInt(sent?.fee_paid ?? -1));
    await expectBooksInOrder();
  });

  it('wait until no more payments of an intent that has ended are expected', async () => {
    const intent = await scene.intent('USDC');
    await scene.pay(intent.address, 'USDC', 25n * DOLLAR);
    expect(await scene.plan()).toEqual([]);
    await scene.age(intent);
    expect(await scene.plan()).toHaveLength(1);
  });

  it('that close an account fail as a whole when a payment races them, and are planned again one by one', async () => {
    const [first, second] = [await scene.paid('USDC', 25n * DOLLAR), await scene.paid('USDC', 25n * DOLLAR)];
    await scene.plan();
    await scene.sign();
    const txHash = await scene.scene.fund({ owner: first.address, token: 'USDC', amount: DOLLAR });
    await scene.send();
    expect(await scene.confirm()).toMatchObject([{ status: 'reverted', swept: ['0', '0'] }]);
    await scene.untilCredited(txHash);
    expect(await failures()).toEqual([1, 1]);
    expect(await scene.plan()).toEqual([]);
    await expectBooksInOrder();
    await scene.retry();
    const [, ...again] = await scene.sweep();
    expect(again.map(({ status, swept }) => `${status} ${swept.join()}`).toSorted()).toEqual([
      `succeeded ${25n * DOLLAR}`,
      `succeeded ${26n * DOLLAR}`,
    ]);
    expect([await usdcOf(first.address), await usdcOf(second.address)]).toEqual([0n, 0n]);
    expect(await failures()).toEqual([0, 0]);
    await expectBooksInOrder();
  });

  it('are sent with the same bytes by the next process when one dies, and pay once', async () => {
    const { address } = await scene.paid('USDC', 25n * DOLLAR);
    await scene.plan();
    await scene.sign();
    const [signed, ...others] = await attempts();
    expect(others).toEqual([]);
    expect(await usdcOf(address)).toBe(25n * DOLLAR);
    // What was signed is neither planned nor signed again.
    await scene.plan();
    await scene.sign();
    expect(await attempts()).toEqual([signed]);
    await scene.send();
    await scene.query(`update chain_transaction set due_at = now()`);
    await scene.send();
    expect(await scene.confirm()).toMatchObject([{ status: 'succeeded' }]);
    const { sent } = await scene.client.sentBy(scene.hotWallet, 0);
    expect(sent.map(({ txHash }) => txHash)).toEqual([signed?.tx_hash]);
    await expectBooksInOrder();
  });

  it('that have expired free their balances, which are swept by another transaction', async () => {
    const { address } = await scene.paid('USDC', 25n * DOLLAR);
    await scene.plan();
    await scene.sign();
    await scene.scene.lab.controls.mine(EXPIRED_AFTER);
    await eventually(
      () => scene.confirm(),
      ([sweep]) => sweep?.status === 'expired',
    );
    expect(await scene.sweeps('sweep.finished_at is null')).toEqual([]);
    // An expiry is no failure of the address.
    expect(await failures()).toEqual([0]);
    await expectBooksInOrder();
    expect(await scene.sweep()).toMatchObject([
      { status: 'expired', swept: ['0'] },
      { status: 'succeeded', swept: [String(25n * DOLLAR)] },
    ]);
    expect(await usdcOf(address)).toBe(0n);
    await expectBooksInOrder();
  });
});

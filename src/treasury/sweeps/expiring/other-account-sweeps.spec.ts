import { paidBeside } from '../../../../test/support/solana-other-account.js';
import type { SeededIntent } from '../../../../test/support/factories.js';
import { SolanaSweepScene } from '../../../../test/support/solana-sweep-scene.js';
import { sweepOrder } from '../sweep-orders.js';

const DOLLAR = 1_000_000n;
const SOL = 1_000_000_000n;

let scene: SolanaSweepScene;
beforeAll(async () => {
  scene = await SolanaSweepScene.open();
});
afterAll(() => scene.close());

/** Pays 25 USDC into another account of the address of a new intent, which completes it. */
async function paidElsewhere(
  amount = 25n * DOLLAR,
): Promise<{ readonly intent: SeededIntent; readonly account: string }> {
  const intent = await scene.intent('USDC');
  const { account, txHash } = await paidBeside(scene.scene, intent.address, { amount });
  await scene.search();
  await scene.untilCredited(txHash);
  return { intent, account };
}

/** The books and the chain agree, and nothing but the first funds of the hot wallet was a top-up. */
async function expectBooksInOrder(): Promise<void> {
  expect(await scene.compare()).toEqual([String(10n * SOL)]);
  expect(await scene.brokenRules()).toEqual([]);
  expect(await scene.query(`select account, units from unexplained_balance`)).toEqual([]);
}

const exists = async (account: string) => {
  const { value } = await scene.scene.lab.rpc.getAccountInfo(account as never, { encoding: 'base64' }).send();
  return value !== null;
};
const usdcOf = async (owner: string) => (await scene.holds(owner))[0];
const items = () =>
  scene.query<{ account: string | null; swept: string }>(
    `select account, swept from sweep_item join sweep on sweep.id = sweep_id order by sweep.created_at, position`,
  );

describe('sweeps of other token accounts on Solana', () => {
  it('take each account in a sweep of its own, the largest first, and close it', async () => {
    const { intent, account } = await paidElsewhere(15n * DOLLAR);
    await scene.pay(intent.address, 'USDC', 10n * DOLLAR);
    expect(await scene.query(`select status from payment_intent`)).toEqual([{ status: 'completed' }]);
    await expectBooksInOrder();
    await scene.age(intent);
    await scene.sweep();
    expect(await items()).toEqual([{ account, swept: String(15n * DOLLAR) }]);
    expect([await usdcOf(intent.address), await exists(account)]).toEqual([10n * DOLLAR, false]);
    await expectBooksInOrder();
    await scene.sweep();
    expect(await items()).toEqual([
      { account, swept: String(15n * DOLLAR) },
      { account: null, swept: String(10n * DOLLAR) },
    ]);
    expect(await usdcOf(scene.hotWallet)).toBe(25n * DOLLAR);
    await expectBooksInOrder();
    expect(await scene.plan()).toEqual([]);
  });

  it('are not signed for an account that belongs to another address', async () => {
    const { account } = await paidElsewhere();
    const other = await scene.intent('USDC');
    await scene.pay(other.address, 'USDC', 10n * DOLLAR);
    await scene.planned(other.address, 'USDC', 10n * DOLLAR, account);
    const [planned] = await scene.sweeps('sweep.finished_at is null');
    const ordering = scene.scene.db.database.transaction((tx) => sweepOrder(tx, planned?.id ?? ''));
    await expect(ordering).rejects.toThrow('not known to be of its address and token');
    await scene.sign();
    expect(await scene.sweeps('sweep.finished_at is null')).toMatchObject([{ id: planned?.id, status: null }]);
    await scene.query(`update sweep_item set swept = 0 where swept is null`);
    await scene.query(`update deposit_balance set sweep_id = null`);
    await scene.query(`update sweep set finished_at = now() where finished_at is null`);
  });

  it('are adopted after a restore that lost account, deposit and sweep, and credited once then', async () => {
    await scene.scene.stopListening();
    const intent = await scene.intent('USDC');
    const { account, txHash } = await paidBeside(scene.scene, intent.address);
    const funds = { token: scene.token('USDC'), account, decimals: 6, amount: 25n * DOLLAR, closesAccount: true };
    const lost = await scene.signedElsewhere([{ owner: intent.address, funds: [funds] }]);
    scene.scene.listen();
    await scene.land(lost);
    await scene.search();
    expect(await scene.query(`select from watched_account where account = '${account}'`)).toEqual([]);
    await scene.checkSent();
    await scene.adopt(lost.txHash);
    await scene.confirm();
    await scene.untilCredited(txHash);
    await scene.query(`update hot_wallet set frozen_reason = null`);
    expect(await scene.query(`select amount from deposit where account = '${account}'`)).toEqual([
      { amount: String(25n * DOLLAR) },
    ]);
    expect(await exists(account)).toBe(false);
    await expectBooksInOrder();
  });

  it('leave funds that have disappeared to the audit, which names their address', async () => {
    const { intent, account } = await paidElsewhere();
    await scene.age(intent);
    await scene.scene.lab.controls.closeAccount(account);
    await scene.scene.lab.settle();
    const [broken = '', ...others] = await scene.brokenRules();
    expect(others).toEqual([]);
    expect(broken).toContain('addresses_hold_deposits');
    expect(broken).toContain(`address ${intent.address}`);
    expect(broken).toContain(`in 2 accounts, and its deposits and sweeps leave ${25n * DOLLAR}`);
  });
});

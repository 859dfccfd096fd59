import type { SolanaControls } from '../../../devtools/devnet/solana/solana-controls.js';
import { eventually } from '../../../../test/support/eventually.js';
import { paidBeside } from '../../../../test/support/solana-other-account.js';
import type { SeededIntent } from '../../../../test/support/factories.js';
import { SolanaSweepScene } from '../../../../test/support/solana-sweep-scene.js';
import { SweepOperations } from '../sweep-operations.service.js';

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

/** Changes the chain, in a final block. */
async function onChain(change: (controls: SolanaControls) => Promise<unknown>): Promise<void> {
  const { controls } = scene.scene.lab;
  await change(controls);
  await controls.mine();
  await scene.scene.lab.settle();
}

/** Waits until the listener has read an account with this obstacle. */
const untilObstacle = (account: string, obstacle: string | null) =>
  eventually(
    () =>
      scene.query<{ obstacle: string | null }>(`select obstacle from credited_account where account = '${account}'`),
    (rows) => rows.length === 1 && rows[0]?.obstacle === obstacle,
  );

const exists = async (account: string) => {
  const { value } = await scene.scene.lab.rpc.getAccountInfo(account as never, { encoding: 'base64' }).send();
  return value !== null;
};
const usdcOf = async (owner: string) => (await scene.holds(owner))[0];
const items = () =>
  scene.query<{ account: string | null; swept: string }>(
    `select account, swept from sweep_item join sweep on sweep.id = sweep_id
       left join swept_account using (sweep_id, position) order by sweep.created_at, position`,
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
    // An earlier version signs no item that does not say whether it closes an account.
    const terms = `select item.opens_account, item.closes_account from sweep_item item join swept_account using (sweep_id, position)`;
    expect(await scene.query(terms)).toEqual([{ opens_account: null, closes_account: null }]);
    await expectBooksInOrder();
    expect(await scene.plan()).toEqual([]);
  });

  it('are not planned for an account that belongs to another address', async () => {
    const { account } = await paidElsewhere();
    const other = await scene.intent('USDC');
    await scene.pay(other.address, 'USDC', 10n * DOLLAR);
    const planning = scene.planned(other.address, 'USDC', 10n * DOLLAR, account);
    await expect(planning).rejects.toThrow('swept_account_chain_ref_account_address_id_token_contract_fkey');
    expect(await scene.sweeps('sweep.finished_at is null')).toEqual([]);
  });

  it('leave out an account that its issuer has frozen, take the rest of its address, and take it once it is thawed', async () => {
    const { intent, account } = await paidElsewhere(15n * DOLLAR);
    await scene.pay(intent.address, 'USDC', 10n * DOLLAR);
    await scene.age(intent);
    await onChain((controls) => controls.freeze(account));
    await untilObstacle(account, 'frozen');
    await scene.sweep();
    expect((await items()).slice(-1)).toEqual([{ account: null, swept: String(10n * DOLLAR) }]);
    expect(await scene.plan()).toEqual([]);
    const [aside] = await new SweepOperations(scene.scene.db.database).setAside(10);
    expect(aside).toMatchObject({ amount: '15', address: intent.address });
    expect(aside?.reason).toBe(`Token account ${account}: its issuer has frozen it.`);
    await expectBooksInOrder();
    await onChain((controls) => controls.thaw(account));
    await untilObstacle(account, null);
    await scene.sweep();
    expect((await items()).slice(-1)).toEqual([{ account, swept: String(15n * DOLLAR) }]);
    await expectBooksInOrder();
  });

  it('that fail for one account count against that account alone, hold up no other, and are given up after three', async () => {
    const { intent, account } = await paidElsewhere(15n * DOLLAR);
    await scene.pay(intent.address, 'USDC', 10n * DOLLAR);
    await scene.age(intent);
    const retryNow = async (): Promise<void> => {
      await untilObstacle(account, null);
      await scene.query(`update credited_account set retry_at = null`);
    };
    const fail = async (failures: number): Promise<void> => {
      await retryNow();
      expect(await scene.plan()).toHaveLength(1);
      await scene.sign();
      await onChain((controls) => controls.freeze(account));
      await scene.send();
      expect((await scene.confirm()).at(-1)).toMatchObject({ status: 'reverted', swept: ['0'] });
      await onChain((controls) => controls.thaw(account));
      const counted = `select failures from credited_account where account = '${account}'`;
      expect(await scene.query(counted)).toEqual([{ failures }]);
      const others = `select failures from deposit_balance where sweep_id is null and failures > 0`;
      expect(await scene.query(others)).toEqual([]);
    };
    await fail(1);
    await retryNow();
    await scene.sweep();
    expect((await items()).slice(-1)).toEqual([{ account: null, swept: String(10n * DOLLAR) }]);
    await fail(2);
    await fail(3);
    await retryNow();
    expect(await scene.plan()).toEqual([]);
    const operations = new SweepOperations(scene.scene.db.database);
    expect(await operations.setAside(10)).toMatchObject([{ amount: '15', address: intent.address }]);
    const order = { actor: 'alice@vault-1', reason: 'thawed' };
    await scene.scene.db.database.transaction((tx) => operations.retry(tx, intent.address, order));
    await scene.sweep();
    expect((await items()).slice(-1)).toEqual([{ account, swept: String(15n * DOLLAR) }]);
    await expectBooksInOrder();
  });

  it('have no part in an account that its maker has opened again, and go on for its address', async () => {
    const intent = await scene.intent('USDC');
    const first = await paidBeside(scene.scene, intent.address);
    await scene.search();
    await scene.untilCredited(first.txHash);
    await scene.age(intent);
    await scene.sweep();
    expect(await exists(first.account)).toBe(false);
    const { account, keys } = first;
    await paidBeside(scene.scene, intent.address, { amount: 50n * DOLLAR, keys, keepsClosing: true });
    await untilObstacle(account, 'foreign_close_authority');
    await scene.pay(intent.address, 'USDC', 10n * DOLLAR);
    await scene.age(intent);
    await scene.sweep();
    expect((await items()).slice(-2)).toEqual([
      { account, swept: String(25n * DOLLAR) },
      { account: null, swept: String(10n * DOLLAR) },
    ]);
    expect(await scene.plan()).toEqual([]);
    expect(await scene.query(`select amount from deposit where account = '${account}'`)).toHaveLength(1);
    await expectBooksInOrder();
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
    expect(await scene.query(`select from credited_account where account = '${account}'`)).toEqual([]);
    await scene.worker.checkSent();
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

  it('leave funds that have disappeared to the audit, which names their account, also beside as many new funds', async () => {
    const { intent, account } = await paidElsewhere();
    await scene.age(intent);
    await scene.scene.stopListening();
    await scene.scene.fund({ owner: intent.address, token: 'USDC', amount: 25n * DOLLAR });
    await scene.scene.lab.controls.closeAccount(account);
    await scene.scene.lab.settle();
    const [broken = '', ...others] = await scene.brokenRules();
    expect(others).toEqual([]);
    expect(broken).toContain('addresses_hold_deposits');
    expect(broken).toContain(`address ${intent.address}`);
    expect(broken).toContain(`in account ${account}, and its deposits and sweeps leave ${25n * DOLLAR}`);
  });
});

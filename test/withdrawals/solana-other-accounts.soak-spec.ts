import { OtherAccountSweeps } from '../support/other-account-sweeps.js';
import { paidBeside } from '../support/solana-other-account.js';
import type { SolanaSweepScene } from '../support/solana-sweep-scene.js';

// The cases beside those of `src/treasury/sweeps/expiring/other-account-sweeps.spec.ts`.

const DOLLAR = 1_000_000n;

let sweeps: OtherAccountSweeps;
let scene: SolanaSweepScene;
beforeAll(async () => {
  sweeps = await OtherAccountSweeps.open();
  ({ scene } = sweeps);
});
afterAll(() => sweeps.close());

describe('sweeps of other token accounts on Solana', () => {
  it('have no part in an account that its maker has opened again, and go on for its address', async () => {
    const intent = await scene.intent('USDC');
    const first = await paidBeside(scene.scene, intent.address);
    await scene.search();
    await scene.untilCredited(first.txHash);
    await scene.age(intent);
    await scene.sweep();
    expect(await sweeps.exists(first.account)).toBe(false);
    const { account, keys } = first;
    await paidBeside(scene.scene, intent.address, { amount: 50n * DOLLAR, keys, keepsClosing: true });
    await sweeps.untilObstacle(account, 'foreign_close_authority');
    await scene.pay(intent.address, 'USDC', 10n * DOLLAR);
    await scene.age(intent);
    await scene.sweep();
    expect((await sweeps.items()).slice(-2)).toEqual([
      { account, swept: String(25n * DOLLAR) },
      { account: null, swept: String(10n * DOLLAR) },
    ]);
    expect(await scene.plan()).toEqual([]);
    expect(await scene.query(`select amount from deposit where account = '${account}'`)).toHaveLength(1);
    await sweeps.expectBooksInOrder();
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
    expect(await sweeps.exists(account)).toBe(false);
    await sweeps.expectBooksInOrder();
  });

  it('leave funds that have disappeared to the audit, which names their account, also beside as many new funds', async () => {
    const { intent, account } = await sweeps.paidElsewhere();
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

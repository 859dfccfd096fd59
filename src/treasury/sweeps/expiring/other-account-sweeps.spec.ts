import type { SolanaControls } from '../../../devtools/devnet/solana/solana-controls.js';
import { OtherAccountSweeps } from '../../../../test/support/other-account-sweeps.js';
import type { SolanaSweepScene } from '../../../../test/support/solana-sweep-scene.js';
import { blockAccounts, blockedBalances, creditedBalances } from './credited-balances.sql.js';
import { SweepOperations } from '../sweep-operations.service.js';

const DOLLAR = 1_000_000n;

let sweeps: OtherAccountSweeps;
let scene: SolanaSweepScene;
beforeAll(async () => {
  sweeps = await OtherAccountSweeps.open();
  ({ scene } = sweeps);
});
afterAll(() => sweeps.close());

/** Changes the chain, in a final block. */
async function onChain(change: (controls: SolanaControls) => Promise<unknown>): Promise<void> {
  const { controls } = scene.scene.lab;
  await change(controls);
  await controls.mine();
  await scene.scene.lab.settle();
}

const usdcOf = async (owner: string) => (await scene.holds(owner))[0];

// The others: `test/withdrawals/solana-other-accounts.soak-spec.ts`.
describe('sweeps of other token accounts on Solana', () => {
  it('take each account in a sweep of its own, the largest first, and close it', async () => {
    const { intent, account } = await sweeps.paidElsewhere(15n * DOLLAR);
    await scene.pay(intent.address, 'USDC', 10n * DOLLAR);
    expect(await scene.query(`select status from payment_intent`)).toEqual([{ status: 'completed' }]);
    await sweeps.expectBooksInOrder();
    await scene.age(intent);
    await scene.sweep();
    expect(await sweeps.items()).toEqual([{ account, swept: String(15n * DOLLAR) }]);
    expect([await usdcOf(intent.address), await sweeps.exists(account)]).toEqual([10n * DOLLAR, false]);
    await sweeps.expectBooksInOrder();
    await scene.sweep();
    expect(await sweeps.items()).toEqual([
      { account, swept: String(15n * DOLLAR) },
      { account: null, swept: String(10n * DOLLAR) },
    ]);
    expect(await usdcOf(scene.hotWallet)).toBe(25n * DOLLAR);
    // An earlier version signs no item that does not say whether it closes an account.
    const terms = `select item.opens_account, item.closes_account from sweep_item item join swept_account using (sweep_id, position)`;
    expect(await scene.query(terms)).toEqual([{ opens_account: null, closes_account: null }]);
    await sweeps.expectBooksInOrder();
    expect(await scene.plan()).toEqual([]);
  });

  it('are not planned for an account that belongs to another address', async () => {
    const { account } = await sweeps.paidElsewhere();
    const other = await scene.intent('USDC');
    await scene.pay(other.address, 'USDC', 10n * DOLLAR);
    const planning = scene.planned(other.address, 'USDC', 10n * DOLLAR, account);
    await expect(planning).rejects.toThrow('swept_account_chain_ref_account_address_id_token_contract_fkey');
    expect(await scene.sweeps('sweep.finished_at is null')).toEqual([]);
  });

  it('leave out an account that its issuer has frozen, take the rest of its address, and take it once it is thawed', async () => {
    const { intent, account } = await sweeps.paidElsewhere(15n * DOLLAR);
    await scene.pay(intent.address, 'USDC', 10n * DOLLAR);
    await scene.age(intent);
    await onChain((controls) => controls.freeze(account));
    await sweeps.untilObstacle(account, 'frozen');
    await scene.sweep();
    expect((await sweeps.items()).slice(-1)).toEqual([{ account: null, swept: String(10n * DOLLAR) }]);
    expect(await scene.plan()).toEqual([]);
    const [aside] = await new SweepOperations(scene.scene.db.database).setAside(10);
    expect(aside).toMatchObject({ amount: '15', address: intent.address });
    expect(aside?.reason).toBe(`Token account ${account}: its issuer has frozen it.`);
    await sweeps.expectBooksInOrder();
    await onChain((controls) => controls.thaw(account));
    await sweeps.untilObstacle(account, null);
    await scene.sweep();
    expect((await sweeps.items()).slice(-1)).toEqual([{ account, swept: String(15n * DOLLAR) }]);
    await sweeps.expectBooksInOrder();
  });

  it('set back a credited account that the chain refuses, before the listener has seen why, and no other', async () => {
    const { account } = await sweeps.paidElsewhere();
    const other = await sweeps.paidElsewhere();
    await scene.scene.stopListening();
    const { database } = scene.scene.db;
    const [row] = await scene.query<{ address_id: string; token: string }>(
      `select address_id, token_contract as token from credited_account where account = '${account}'`,
    );
    const refused = { account, addressId: row?.address_id ?? '', token: row?.token ?? '' };
    const stored = async () => {
      const rows = await scene.query<{ account: string; obstacle: string | null; failures: number; waits: boolean }>(
        `select account, obstacle, failures, coalesce(retry_at > now(), false) as waits from credited_account
          where account = any($1)`,
        [[account, other.account]],
      );
      return new Map(rows.map(({ account: of, ...rest }) => [of, rest]));
    };
    const sweepable = async () => {
      const balances = await database.rows(creditedBalances(scene.scene.chain().chainRef, [refused.addressId]));
      return balances.map(({ isSweepable }) => isSweepable);
    };
    const untouched = { obstacle: null, failures: 0, waits: false };
    expect(await sweepable()).toEqual([true]);
    // Each part of its key must match: its maker may open it again for another address or token.
    for (const wrong of [{ addressId: '0' }, { token: 'another' }, { account: 'another' }]) {
      await database.rows(blockAccounts(scene.scene.chain().chainRef, [{ ...refused, ...wrong, obstacle: 'frozen' }]));
    }
    await database.rows(blockAccounts('another', [{ ...refused, obstacle: 'frozen' }]));
    expect((await stored()).get(account)).toEqual(untouched);
    await database.rows(blockAccounts(scene.scene.chain().chainRef, [{ ...refused, obstacle: 'frozen' }]));
    expect((await stored()).get(account)).toEqual({ obstacle: 'frozen', failures: 0, waits: true });
    expect(await sweepable()).toEqual([false]);
    const setAside = await database.rows(blockedBalances);
    expect(setAside.map(({ units, reason }) => [units, reason])).toEqual([
      [String(25n * DOLLAR), `Token account ${account}: its issuer has frozen it.`],
    ]);
    await database.rows(blockAccounts(scene.scene.chain().chainRef, [{ ...refused, obstacle: null }]));
    expect((await stored()).get(account)).toEqual({ obstacle: null, failures: 1, waits: true });
    expect(await sweepable()).toEqual([false]);
    expect((await stored()).get(other.account)).toEqual(untouched);
    await scene.query(`update credited_account set failures = 0, retry_at = null`);
    scene.scene.listen();
  });

  it('that fail for one account count against that account alone, hold up no other, and are given up after three', async () => {
    const { intent, account } = await sweeps.paidElsewhere(15n * DOLLAR);
    await scene.pay(intent.address, 'USDC', 10n * DOLLAR);
    await scene.age(intent);
    const retryNow = async (): Promise<void> => {
      await sweeps.untilObstacle(account, null);
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
    expect((await sweeps.items()).slice(-1)).toEqual([{ account: null, swept: String(10n * DOLLAR) }]);
    await fail(2);
    await fail(3);
    await retryNow();
    expect(await scene.plan()).toEqual([]);
    const operations = new SweepOperations(scene.scene.db.database);
    expect(await operations.setAside(10)).toMatchObject([{ amount: '15', address: intent.address }]);
    const order = { actor: 'alice@vault-1', reason: 'thawed' };
    await scene.scene.db.database.transaction((tx) => operations.retry(tx, intent.address, order));
    await scene.sweep();
    expect((await sweeps.items()).slice(-1)).toEqual([{ account, swept: String(15n * DOLLAR) }]);
    await sweeps.expectBooksInOrder();
  });
});

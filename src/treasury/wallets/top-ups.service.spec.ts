import { HOT_WALLET } from '../../../test/support/outgoing.js';
import { HotWalletScene } from '../../../test/support/hot-wallet-scene.js';
import { freeAddresses } from '../../../test/support/factories.js';
import { hexOf } from '../../../test/support/probe-contracts.js';
import { type Lie, ProxyNode } from '../../../test/support/proxy-node.js';
import { readByGenericPlan } from '../../../test/support/query-plan.js';
import { sqlRefusalOf } from '../../../test/support/sql-refusal.js';
import { query } from '../../../test/support/sql.js';
import { checkRules } from '../../auditor/books-verification.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { compiled } from '../../platform/sql/sql.js';
import { comparableSnapshots } from './top-ups.sql.js';

const COIN = 10n ** 18n;

let scene: HotWalletScene;

beforeAll(async () => {
  scene = await HotWalletScene.open();
});
afterAll(() => scene.close());
beforeEach(() => scene.begin());
afterEach(() => scene.end());

/** Returns the balance of a system account in a token, by the entries of the wallet's top-ups. */
async function balanceOf(kind: 'chain' | 'capital', contract: string): Promise<bigint> {
  const [row] = await query<{ units: string }>(
    scene.database,
    `select coalesce(sum(amount), 0) as units from posting join account on account.id = account_id
      where account.kind = $1 and account.asset = 'ethereum:' || lower($2)
        and entry_id in (select id from entry
                          where reference in (select 'top_up:' || id from top_up where chain_ref = $3))`,
    [kind, contract, scene.chain.chainRef],
  );
  return BigInt(row?.units ?? 0);
}

/** The row that a rule of the auditor names; null when the rule is kept. */
async function named(name: string): Promise<string | null> {
  const { rules } = await scene.database.transaction((tx) => checkRules(tx));
  return rules.find((rule) => rule.name === name)?.finding?.row ?? null;
}

describe('funds that reach a hot wallet', () => {
  it('are its first top-up with the initial balance, then each coin and token once as it arrives', async () => {
    await scene.give(3n * COIN);
    await scene.giveTokens(5n);
    const first = await scene.compare();
    await scene.compare();
    await scene.give(1n);
    const second = await scene.compare();
    expect(await scene.found()).toEqual([
      { token: 'USDC', amount: '5', from_height: '-1', to_height: String(first) },
      { token: 'ETH', amount: String(3n * COIN), from_height: '-1', to_height: String(first) },
      { token: 'ETH', amount: '1', from_height: String(first), to_height: String(second) },
    ]);
    expect([await balanceOf('chain', NATIVE_COIN), await balanceOf('capital', NATIVE_COIN)]).toEqual([
      -3n * COIN - 1n,
      3n * COIN + 1n,
    ]);
    expect(scene.log.named('A hot wallet was topped up.')).toHaveLength(3);
    expect(await named('top_ups_are_booked')).toBeNull();
    expect(await named('stocktakings_add_up')).toBeNull();
  });

  it('are found in whole where a wallet was in use before the first check, whatever it paid and received since', async () => {
    await scene.give(3n * COIN);
    await scene.giveTokens(45n);
    await scene.sweepBrought(40n, (await scene.client.head()).height);
    await scene.writeDown(await scene.pay(COIN));
    await scene.compare();
    expect(await scene.found()).toMatchObject([
      { token: 'USDC', amount: '5', from_height: '-1' },
      { token: 'ETH', amount: String(3n * COIN), from_height: '-1' },
    ]);
    expect(await named('stocktakings_add_up')).toBeNull();
  });

  it('are no top-up when a sweep brought them, and payments and gas do not hide one', async () => {
    await scene.give(3n * COIN);
    await scene.compare();
    await scene.giveTokens(40n);
    await scene.sweepBrought(40n, (await scene.client.head()).height);
    await scene.writeDown(await scene.pay(COIN));
    // Reverted: the coins stayed, the gas was paid.
    const { value: _none, ...reverted } = await scene.pay(0n);
    await scene.writeDown({ ...reverted, value: COIN }, 'reverted');
    await scene.compare();
    expect(await scene.found()).toHaveLength(1);
    await scene.give(7n);
    await scene.giveTokens(2n);
    await scene.compare();
    expect((await scene.found()).slice(1)).toMatchObject([
      { token: 'USDC', amount: '2' },
      { token: 'ETH', amount: '7' },
    ]);
    expect(await named('stocktakings_add_up')).toBeNull();
  });

  it('are compared once every transaction up to that block is recorded, however many follow meanwhile', async () => {
    await scene.give(3n * COIN);
    await scene.compare();
    const payment = await scene.pay(COIN);
    await scene.give(9n);
    const height = await scene.compare();
    const later = await scene.pay(COIN);
    await scene.compare();
    expect(await scene.found()).toHaveLength(1);
    await scene.writeDown(payment);
    await scene.compare();
    expect((await scene.found()).slice(1)).toMatchObject([{ token: 'ETH', amount: '9', to_height: String(height) }]);
    await scene.writeDown(later);
    await scene.compare();
    await scene.compare();
    expect(await scene.found()).toHaveLength(2);
    expect(await named('hot_wallets_lack_nothing')).toBeNull();
  });

  it('are booked once by two processes that compare at the same time, and by none while finality is in doubt', async () => {
    await scene.give(3n * COIN);
    await query(scene.database, `update chain_cursor set finality_doubt = 'Nodes disagree.' where chain_ref = $1`, [
      scene.chain.chainRef,
    ]);
    await scene.compare();
    expect(await scene.found()).toEqual([]);
    await query(scene.database, `update chain_cursor set finality_doubt = null where chain_ref = $1`, [
      scene.chain.chainRef,
    ]);
    const all = [scene.topUps, scene.comparer(), scene.comparer()];
    await Promise.all(all.map((each) => each.bookFound()));
    expect(await scene.found()).toMatchObject([{ amount: String(3n * COIN) }]);
  });
});

describe('funds missing from a hot wallet', () => {
  it('are not booked, and reported once in the log, a metric and the audit, until later funds make up for them', async () => {
    const isShort = async (): Promise<boolean> => {
      await scene.topUps.measure();
      return (await scene.metrics.registry.metrics()).includes(
        `coffer_hot_wallet_short{chain="${scene.chain.chainRef}",token="ETH"} 1`,
      );
    };
    await scene.give(3n * COIN);
    await scene.compare();
    await scene.node.send('anvil_setBalance', HOT_WALLET, hexOf(COIN));
    await scene.node.mine();
    await scene.compare();
    await scene.node.mine();
    await scene.compare();
    expect(scene.log.named('Funds are missing from a hot wallet.')).toMatchObject([
      { level: 'error', missing: String(2n * COIN) },
    ]);
    expect(await isShort()).toBe(true);
    expect(await named('hot_wallets_lack_nothing')).toBe(`stocktaking ${scene.chain.chainRef}/native`);
    await scene.give(2n * COIN + 4n);
    await scene.compare();
    expect((await scene.found()).slice(1)).toMatchObject([{ amount: '4' }]);
    expect(await isShort()).toBe(false);
    expect(await named('hot_wallets_lack_nothing')).toBeNull();
    expect(await named('stocktakings_add_up')).toBeNull();
  });
});

describe('where a chain has two nodes', () => {
  /** Says that the wallet holds less, or has sent more, than it does. */
  const lie =
    (method: string, answer: string): Lie =>
    async (question, ask) =>
      question.method === method && question.params[0] === HOT_WALLET ? answer : (await ask(question))['result'];

  it('only amounts that both confirm are booked, and a disputed snapshot is replaced by a later one', async () => {
    const other = await ProxyNode.start(scene.node.url);
    await scene.end();
    scene.serveBy(scene.node.url, other.url);
    await scene.give(3n * COIN);
    for (const lying of [lie('eth_getBalance', hexOf(COIN)), lie('eth_getTransactionCount', '0x1')]) {
      other.lie = lying;
      await scene.compare();
      expect(await scene.found()).toEqual([]);
    }
    expect(scene.log.named('No other node confirmed the balance of a hot wallet.')).toMatchObject([
      { level: 'warn', token: NATIVE_COIN, onChain: String(3n * COIN) },
    ]);
    other.lie = null;
    await scene.give(1n);
    await scene.compare();
    expect(await scene.found()).toMatchObject([{ amount: String(3n * COIN) }]);
    await scene.compare();
    expect((await scene.found()).slice(1)).toMatchObject([{ amount: '1' }]);
    // A snapshot that stays unconfirmed is taken again from a later block.
    other.lie = lie('eth_getBalance', hexOf(COIN));
    await scene.give(1n);
    const disputed = await scene.compare();
    await query(scene.database, `update stocktaking set taken_at = now() - interval '6 minutes' where chain_ref = $1`, [
      scene.chain.chainRef,
    ]);
    other.lie = null;
    await scene.give(1n);
    await scene.compare();
    expect((await scene.found()).slice(2)).toMatchObject([{ amount: '2', to_height: String(disputed + 1) }]);
    await scene.end();
    await other.stop();
  });
});

describe('in the database', () => {
  it('a top-up stays as it is, and no two are found in the same blocks', async () => {
    await scene.give(COIN);
    await scene.compare();
    for (const statement of [`update top_up set amount = 1`, `delete from top_up`, `truncate top_up`]) {
      expect(await sqlRefusalOf(scene.db.owner, statement)).toContain('append-only');
    }
    for (const [from, to] of [
      ['from_height', 'to_height + 1'],
      ['from_height + 1', 'to_height'],
    ]) {
      const again = `insert into top_up select id || 'x', chain_ref, token_contract, amount, ${from}, ${to} from top_up`;
      expect(await sqlRefusalOf(scene.database, again)).toContain('duplicate key');
    }
    expect(await sqlRefusalOf(scene.database, `update stocktaking set booked_height = booked_height - 1`)).toContain(
      'never again',
    );
  });

  it('a comparison reads what happened since the last one, by an index', async () => {
    await scene.give(COIN);
    const height = await scene.compare();
    await query(
      scene.database,
      `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data,
         gas_limit, token_contract, amount, status, mined_hash, mined_height, fee_paid, finished_at)
       select $1 || n, $1, 'withdrawal', $1 || n, $2, 1000000 + n, $3, 0, '0x', 10, $3, 1, 'succeeded', n, $4, 1, now()
         from generate_series(1, 5000) n`,
      [scene.chain.chainRef, HOT_WALLET, scene.usdc, height],
    );
    const [address = ''] = await freeAddresses(scene.database, 1);
    await query(
      scene.database,
      `with place as (select id from pool_address where address = $1),
            balance as (insert into deposit_balance (chain_ref, token_contract, address_id, received)
                        select $2, $3, id, 1 from place),
            sweeps as (insert into sweep (id, chain_ref, reason, delegate, batch)
                       select 'swp_' || n, $2, 'threshold', '0x', '0x' from generate_series(1, 5000) n)
       insert into sweep_item (sweep_id, position, chain_ref, token_contract, address_id, expected, swept, swept_height)
       select 'swp_' || n, 0, $2, $3, place.id, 1, 1, $4 from place, generate_series(1, 5000) n`,
      [address, scene.chain.chainRef, scene.usdc, height],
    );
    await query(scene.db.owner, `analyze chain_transaction, sweep_item`);
    await query(scene.database, `update stocktaking set height = height + 1 where chain_ref = $1`, [
      scene.chain.chainRef,
    ]);
    const { text, values } = compiled(comparableSnapshots(scene.chain.chainRef));
    const read = await readByGenericPlan(scene.database, text, values);
    expect(read.pages).toBeLessThan(50);
    expect(read.scans).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/on chain_transaction by chain_transaction_mined/),
        expect.stringMatching(/on sweep_item by sweep_item_swept/),
      ]),
    );
  });
});

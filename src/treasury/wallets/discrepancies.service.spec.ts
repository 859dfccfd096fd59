import { type CliRun, runCommand } from '../../../test/support/cli-run.js';
import { HotWalletScene } from '../../../test/support/hot-wallet-scene.js';
import { HOT_WALLET } from '../../../test/support/outgoing.js';
import { hexOf } from '../../../test/support/probe-contracts.js';
import { ProxyNode } from '../../../test/support/proxy-node.js';
import { sqlRefusalOf } from '../../../test/support/sql-refusal.js';
import { query } from '../../../test/support/sql.js';
import { brokenOf, newFindingsOf } from '../../auditor/audit-findings.js';
import { checkRules } from '../../auditor/books-verification.js';
import { checkChain } from '../../auditor/checks/chain-checks.js';

const COIN = 10n ** 18n;
const DEAD_NODE = 'http://127.0.0.1:9';

let scene: HotWalletScene;

beforeAll(async () => {
  scene = await HotWalletScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  await scene.begin();
  await scene.give(3n * COIN);
  await scene.compare();
});
afterEach(() => scene.end());

/** From the next block on the wallet holds this much of the coin. */
async function holds(units: bigint): Promise<void> {
  await scene.node.send('anvil_setBalance', HOT_WALLET, hexOf(units));
  await scene.node.mine();
  await scene.compare();
}

const writeOff = (...more: string[]): Promise<CliRun> =>
  runCommand(
    [
      'treasury',
      'write-off',
      '--network',
      'ethereum',
      '--env',
      'sandbox',
      '--token',
      'ETH',
      '--reason',
      'seized',
      ...more,
    ],
    { DATABASE_URL: scene.db.url },
  );

/** The findings of an audit of the rows alone. */
const audited = async () => brokenOf((await scene.database.transaction((tx) => checkRules(tx))).rules);

/** Every rule that is broken, by the rows alone and by the chain, of this scene's chain. */
async function broken(): Promise<string[]> {
  const { rules } = await scene.database.transaction((tx) => checkRules(tx));
  const onChain = await checkChain(scene.database, await scene.audited());
  return [...rules, ...onChain.rules].flatMap(({ name, finding }) =>
    finding === null ? [] : [`${name}: ${finding.says}`],
  );
}

it('an operator writes off missing funds, and later discrepancies and top-ups show as before', async () => {
  expect(await writeOff()).toMatchObject({ code: 1, err: expect.stringContaining('no ETH is missing') });
  await holds(2n * COIN);
  expect(await broken()).toMatchObject([
    expect.stringMatching(/^hot_wallets_lack_nothing: lacked 10{18} of 30{18} at block \d+$/),
    expect.stringMatching(/^hot_wallet_holds_books: /),
  ]);
  const known = await audited();
  expect(await writeOff()).toMatchObject({
    code: 0,
    out: 'BOOKED OUT: 1 ETH of the hot wallet of sandbox/ethereum, to receivable.\n',
  });
  expect(await broken()).toEqual([]);
  expect(await writeOff()).toMatchObject({ code: 1, err: expect.stringContaining('no ETH is missing') });
  await holds(2n * COIN - 5n);
  expect(await broken()).toMatchObject([expect.stringContaining('lacked 5 of'), expect.anything()]);
  // Less than before, and still a new finding.
  expect(newFindingsOf(await audited(), known)).toMatchObject([{ check: 'hot_wallets_lack_nothing' }]);
  // It came back, and more than that.
  await holds(2n * COIN + 7n);
  expect(await broken()).toEqual([]);
  expect((await scene.found()).at(-1)).toMatchObject({ token: 'ETH', amount: '7' });
  const booked = await query(
    scene.database,
    `select account.kind, posting.amount from entry join posting on entry_id = entry.id
       join account on account.id = account_id join shortage on 'shortage:' || shortage.id = entry.reference
      where shortage.chain_ref = $1 order by account.kind`,
    [scene.chain.chainRef],
  );
  expect(booked).toEqual([
    { kind: 'chain', amount: String(COIN) },
    { kind: 'receivable', amount: String(-COIN) },
  ]);
  const [order] = await query(
    scene.database,
    `select reason, details ->> 'amount' as amount from audit_entry where action = 'treasury.write_off'`,
  );
  expect(order).toEqual({ reason: 'seized', amount: String(COIN) });
});

it('is refused while a newer snapshot is not compared, and the database accepts no other amount', async () => {
  await holds(2n * COIN);
  await query(scene.database, `update stocktaking set height = height + 1 where chain_ref = $1`, [
    scene.chain.chainRef,
  ]);
  expect(await writeOff()).toMatchObject({ code: 1, err: expect.stringContaining('is not compared yet') });
  const discrepancy = (amount: string) =>
    sqlRefusalOf(
      scene.database,
      `insert into shortage (id, chain_ref, token_contract, amount, height)
       select 'sho_1', chain_ref, token_contract, ${amount}, booked_height from stocktaking
        where chain_ref = $1 and token_contract = 'native'`,
      [scene.chain.chainRef],
    );
  expect(await discrepancy('missing')).toContain('nobody decided');
  await query(
    scene.database,
    `insert into audit_entry (actor, action, subject, reason, details) values ('x', 'treasury.write_off', 'sho_1', 'x', '{}')`,
  );
  expect(await discrepancy('missing + 1')).toContain('not what is missing');
});

it('one node is enough to report missing funds while another is down, and top-ups wait for both', async () => {
  await scene.end();
  scene.serveBy(scene.node.url, DEAD_NODE);
  await holds(1n);
  expect(scene.log.named('Funds are missing from a hot wallet.')).toHaveLength(1);
  const measured = async (): Promise<(string | undefined)[]> => {
    await scene.topUps.measure();
    const metrics = await scene.metrics.registry.metrics();
    return ['short', 'compared_age_seconds'].map(
      (name) => new RegExp(`^coffer_hot_wallet_${name}\\{.*ETH"\\} (\\d+)`, 'm').exec(metrics)?.[1],
    );
  };
  expect(await measured()).toEqual(['1', '0']);
  await holds(5n * COIN);
  await query(scene.database, `update stocktaking set compared_at = now() - interval '121 minutes'`);
  expect(await measured()).toEqual(['1', expect.stringMatching(/^72[56]\d$/)]);
  expect(await scene.found()).toHaveLength(1);
  expect(scene.log.named('No other node confirmed the balance of a hot wallet.')).toHaveLength(1);
});

it('an amount that another node denies is no discrepancy, and is logged', async () => {
  const other = await ProxyNode.start(scene.node.url);
  await scene.end();
  scene.serveBy(scene.node.url, other.url);
  other.lie = async (question, ask) =>
    question.method === 'eth_getBalance' && question.params[0] === HOT_WALLET
      ? hexOf(3n * COIN)
      : (await ask(question))['result'];
  await holds(1n);
  expect(scene.log.named('Funds are missing from a hot wallet.')).toEqual([]);
  expect(scene.log.named('No other node confirmed the balance of a hot wallet.')).toHaveLength(1);
  expect((await broken()).map((each) => each.split(':')[0])).toEqual(['hot_wallet_holds_books']);
  other.lie = null;
  await scene.topUps.bookFound();
  expect(scene.log.named('Funds are missing from a hot wallet.')).toHaveLength(1);
  await other.stop();
});

import { HotWalletScene } from '../../../test/support/hot-wallet-scene.js';
import { query } from '../../../test/support/sql.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { Finding } from '../check.js';
import { findHotWalletBreach } from './chain-hot-wallet.js';

const COIN = 10n ** 18n;

let scene: HotWalletScene;

beforeAll(async () => {
  scene = await HotWalletScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  await scene.begin();
  await scene.give(3n * COIN);
  await scene.giveTokens(5n);
});
afterEach(() => scene.end());

/** Returns the finding at the newest block, or at an earlier one, and the tokens that could not be compared. */
async function audit(height?: number): Promise<{ finding: Finding | null; unasked: string[] }> {
  const unasked: string[] = [];
  const chain = await scene.audited(height);
  const finding = await findHotWalletBreach(scene.database, chain, (what) => unasked.push(what));
  return { finding, unasked };
}

const CLEAN = { finding: null, unasked: [] };

/** Changes rows with all guards disabled. */
const tamper = (statement: string): Promise<unknown> =>
  scene.db.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await query(tx, statement);
  });

it('a wallet holds its top-ups and sweeps, less payments and gas', async () => {
  await scene.compare();
  await scene.giveTokens(40n);
  await scene.sweepBrought(40n, (await scene.client.head()).height);
  await scene.writeDown(await scene.pay(COIN));
  await scene.compare();
  expect(await audit()).toEqual(CLEAN);
});

it('funds that were not compared with the books yet are reported, and are no breach', async () => {
  const notCompared = {
    finding: null,
    unasked: [
      `${3n * COIN} of native arrived in the hot wallet and are not booked yet.`,
      `5 of ${scene.usdc} arrived in the hot wallet and are not booked yet.`,
    ],
  };
  expect(await audit()).toEqual(notCompared);
  await scene.compare();
  expect(await audit()).toEqual(CLEAN);
});

it('a top-up that a later comparison found may have arrived before or after the audited block', async () => {
  const first = await scene.compare();
  await scene.node.mine();
  await scene.give(7n);
  await scene.compare();
  expect(await audit(first + 1)).toEqual(CLEAN);
  expect(await audit(first + 2)).toEqual(CLEAN);
});

it('while a transaction is not recorded, the block of the last comparison is audited instead', async () => {
  const height = await scene.compare();
  const payment = await scene.pay(COIN);
  expect(await audit()).toEqual(CLEAN);
  await tamper(`update top_up set amount = amount - 1 where token_contract = '${NATIVE_COIN}'`);
  expect(await audit()).toMatchObject({
    finding: {
      row: `hot_wallet ${scene.chain.chainRef}`,
      says: `holds ${3n * COIN} of native at block ${height}, and the books say ${3n * COIN - 1n}`,
    },
  });
  await tamper(`update top_up set amount = amount + 1 where token_contract = '${NATIVE_COIN}'`);
  await scene.writeDown(payment);
  expect(await audit()).toEqual(CLEAN);
});

it('without any comparison, the transactions that are not recorded are counted', async () => {
  await scene.pay(COIN);
  expect(await audit()).toEqual({
    finding: null,
    unasked: [NATIVE_COIN, scene.usdc].map(
      (token) => `1 transactions of the hot wallet are not recorded as finished: ${token} is not compared.`,
    ),
  });
});

it.each<[what: string, statement: string, says: string]>([
  [
    'less',
    `update top_up set amount = amount + 1`,
    `holds ${3n * COIN} of native at block N, and the books say ${3n * COIN + 1n}`,
  ],
  ['more', `delete from top_up`, `holds ${3n * COIN} of native at block N, and the books say 0`],
])('a wallet that holds %s than its rows explain is reported', async (_what, statement, says) => {
  const height = await scene.compare();
  await tamper(statement);
  expect((await audit()).finding).toEqual({
    row: `hot_wallet ${scene.chain.chainRef}`,
    says: says.replace('block N', `block ${height}`),
  });
});

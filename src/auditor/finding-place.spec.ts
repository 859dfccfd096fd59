import { PayoutScene } from '../../test/support/payout-scene.js';
import { aChain, aDeposit, anIntent } from '../../test/support/factories.js';
import { placeOf } from './finding-place.js';
import { shownRules } from './shown-rules.js';

const EVERYWHERE = { chainRef: null, environment: null };

let scene: PayoutScene;
beforeAll(async () => {
  scene = await PayoutScene.open();
});
afterAll(() => scene.close());

const place = (row: string, check = 'some_rule') => scene.database.transaction((tx) => placeOf(tx, { check, row }));

it('a finding belongs to the environment of its row, for every kind of row', async () => {
  const tenant = await scene.merchant();
  const { id, pocketId } = await scene.order(tenant);
  await scene.signer.sign(scene.vault, id);
  const intent = await anIntent(scene.database, { tenant, chain: scene.chain });
  const deposit = await aDeposit(scene.database, intent);
  const one = async (statement: string): Promise<string> =>
    (await scene.query<{ id: string }>(`${statement} limit 1`))[0]?.id ?? '';
  const sent = await one(`select id from chain_transaction`);
  const rows = [
    `withdrawal ${id}`,
    `pocket ${pocketId}`,
    `payment_intent ${intent.id}`,
    `deposit ${deposit}`,
    `chain_transaction ${sent}`,
    `transaction_attempt ${sent}/1`,
    `entry ${await one(`select id from entry`)}`,
    `posting ${await one(`select id from posting`)}`,
    `account ${await one(`select id from account`)}`,
    `pool_address ${await one(`select id from pool_address where environment = 'sandbox'`)}`,
    ...['hot_wallet', 'stocktaking', 'deposit_balance'].map((table) => `${table} ${scene.chain.chainRef}/0xa1/7`),
  ];
  expect(await Promise.all(rows.map((row) => place(row)))).toEqual(
    rows.map(() => ({ chainRef: null, environment: 'sandbox' })),
  );
});

const TABLES = `withdrawal pocket payment_intent deposit chain_transaction transaction_attempt entry posting account
  hot_wallet stocktaking deposit_balance deposit_return sweep top_up shortage pool_address ledger_seal audit_entry audit_seal table_of_tomorrow 21`;

it.each(TABLES.split(/\s+/))('without its row, a finding belongs to all books: %s', async (table) => {
  expect(await place(`${table} none/1`)).toEqual(EVERYWHERE);
});

it('missing funds belong to their chain, and a broken hash chain to all books, whatever its row', async () => {
  const { chainRef } = scene.chain;
  expect(await place(`stocktaking ${chainRef}/native`, 'hot_wallets_lack_nothing')).toEqual({
    chainRef,
    environment: null,
  });
  expect(await place('21 rows', 'hot_wallets_lack_nothing')).toEqual(EVERYWHERE);
  const [entry] = await scene.query<{ id: string }>(`select id from entry limit 1`);
  expect(await place(`entry ${entry?.id}`, 'seals_hold')).toEqual(EVERYWHERE);
});

describe('the findings that staff of one environment see', () => {
  const rule = (check: string, rows: readonly string[], count = rows.length) => ({
    check,
    count,
    named: rows.map((row) => ({ row, says: 'is wrong' })),
  });
  const shownIn = async (environment: 'sandbox' | 'live', ...broken: ReturnType<typeof rule>[]) => {
    const rules = await scene.database.transaction((tx) => shownRules(tx, environment, broken));
    return rules.map(({ check, named, hasUnnamed }) => [check, named.map(({ row }) => row), hasUnnamed]);
  };
  let own: string;
  let live: string;
  beforeAll(async () => {
    own = `hot_wallet ${scene.chain.chainRef}`;
    live = `hot_wallet ${(await aChain(scene.database, { environment: 'live' })).chainRef}`;
  });

  it('are those of its own rows: not the other ones, not the rules that only these break', async () => {
    const broken = [rule('both', [own, live]), rule('live_only', [live])];
    expect(await shownIn('sandbox', ...broken)).toEqual([['both', [own], false]]);
    expect(await shownIn('live', ...broken)).toEqual([
      ['both', [live], false],
      ['live_only', [live], false],
    ]);
  });

  it('are also those about all books, and rules with rows that the audit does not name', async () => {
    const broken = [rule('seals_hold', ['ledger_seal 7']), rule('many', [own], 21)];
    expect(await shownIn('sandbox', ...broken)).toEqual([
      ['seals_hold', ['ledger_seal 7'], false],
      ['many', [own], true],
    ]);
    expect(await shownIn('live', ...broken)).toEqual([
      ['seals_hold', ['ledger_seal 7'], false],
      ['many', [], true],
    ]);
  });
});

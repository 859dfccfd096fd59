import { type CliRun, runCommand } from '../../../test/support/cli-run.js';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, type SeededChain } from '../../../test/support/factories.js';
import { aHotWallet } from '../../../test/support/outgoing.js';

let db: TestDatabase;
let polygon: SeededChain;
const ids = [1, 2, 3].map((n) => `top_${String(n).padStart(26, '0')}`);
const [FIRST = '', SECOND = '', OTHER = ''] = ids;

beforeAll(async () => {
  db = await freshDatabase();
  polygon = await aChain(db.database);
  const bnb = await aChain(db.database, { network: 'bnb' });
  for (const { chainRef } of [polygon, bnb]) await aHotWallet(db.database, chainRef);
  await db.query(
    `insert into top_up (id, chain_ref, token_contract, amount, from_height, to_height, found_at)
     values ($1, $4, $5, 2500000, -1, 90, '2026-11-20 10:00Z'), ($2, $4, $5, 1, 90, 95, '2026-11-20 11:00Z'),
            ($3, $6, $7, 7000000, 3, 4, '2026-11-20 12:00Z')`,
    [...ids, polygon.chainRef, polygon.contract, bnb.chainRef, bnb.contract],
  );
});
afterAll(() => db.drop());

const topUps = (...args: string[]): Promise<CliRun> =>
  runCommand(['treasury', 'top-ups', ...args], { DATABASE_URL: db.url });

it('coffer treasury top-ups lists the top-ups of hot wallets, newest first', async () => {
  const { code, out, err } = await topUps();
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const [head, ...lines] = out.trimEnd().split('\n');
  expect(head).toMatch(/^TOP-UP +FOUND +CHAIN +AMOUNT +AFTER BLOCK +UP TO BLOCK/);
  expect(lines).toEqual([
    expect.stringMatching(`^${OTHER} +2026-11-20T12:00:00.000Z +sandbox/bnb +7 USDC +3 +4`),
    expect.stringMatching(`^${SECOND} +2026-11-20T11:00:00.000Z +sandbox/polygon +0.000001 USDC +90 +95`),
    expect.stringMatching(`^${FIRST} +2026-11-20T10:00:00.000Z +sandbox/polygon +2.5 USDC +the beginning +90`),
  ]);
});

it('coffer treasury top-ups shows one network page by page, also as JSON', async () => {
  const first = await topUps('--network', 'polygon', '--env', 'sandbox', '--limit', '1', '--json');
  expect(JSON.parse(first.out)).toMatchObject({ object: 'top_up', id: SECOND, after_block: 90, up_to_block: 95 });
  expect(first.err).toBe(`There are more: --after ${SECOND}\n`);
  const second = await topUps('--network', 'polygon', '--limit', '1', '--json', '--after', SECOND);
  expect(JSON.parse(second.out)).toEqual({
    object: 'top_up',
    id: FIRST,
    found_at: '2026-11-20T10:00:00.000Z',
    environment: 'sandbox',
    network: 'polygon',
    token: 'USDC',
    amount_decimal: '2.5',
    after_block: null,
    up_to_block: 90,
  });
  expect(second.err).toBe('');
  expect((await topUps('--env', 'live', '--json')).out).toBe('');
});

it.each([
  [['--network', 'nowhere'], '--network'],
  [['--limit', '0'], '--limit'],
  [['--after', 'top_none'], 'There is no top-up top_none.'],
])('coffer treasury top-ups refuses %j', async (args, says) => {
  const { code, err } = await topUps(...args);
  expect(code).not.toBe(0);
  expect(err).toContain(says);
});

import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain } from '../../../test/support/factories.js';
import { aHotWallet } from '../../../test/support/outgoing.js';
import { readByGenericPlan } from '../../../test/support/query-plan.js';
import { query } from '../../../test/support/sql.js';
import { compiled } from '../../platform/sql/sql.js';
import { findCandidates, findOpenCandidates } from './sweep-candidates.sql.js';

const BALANCES = 20_000;

let db: TestDatabase;
let needed: { chainRef: string; token: string };

beforeAll(async () => {
  db = await freshDatabase();
  const { chainRef, contract } = await aChain(db.database);
  needed = { chainRef, token: contract };
  await aHotWallet(db.database, chainRef);
  await db.query(
    `insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key)
     select 'sandbox', 'evm', n, 'm/' || n, '0x' || n, '0x' || n from generate_series(1, $1::int) n`,
    [BALANCES],
  );
  await db.query(
    `insert into deposit_balance (chain_ref, token_contract, address_id, received, swept)
     select $1, $2, id, id, case when id % 10 = 0 then 0 else id end from pool_address`,
    [chainRef, contract],
  );
  await query(db.owner, `analyze`);
});
afterAll(() => db.drop());

it('the largest balances are found by an index, however many there are and were', async () => {
  const rows = await db.database.rows(findCandidates(['evm'], 3));
  expect(rows.map(({ units }) => Number(units))).toEqual([BALANCES, BALANCES - 10, BALANCES - 20]);
  const { text, values } = compiled(findCandidates(['evm'], 250));
  const { pages, scans } = await readByGenericPlan(db.database, text, values);
  expect(scans).toContain('Index Scan on deposit_balance by deposit_balance_held');
  expect(scans.filter((scan) => /^Seq Scan on (deposit_balance|pool_address)/.test(scan))).toEqual([]);
  expect(pages).toBeLessThan(5_000);
});

it('candidates of open intents come from the largest balances alone', async () => {
  const { text, values } = compiled(findOpenCandidates(['evm'], 250, [needed]));
  const { pages, scans } = await readByGenericPlan(db.database, text, values);
  expect(scans).toContain('Index Scan on deposit_balance by deposit_balance_held');
  expect(scans.filter((scan) => /^Seq Scan on (deposit_balance|pool_address)/.test(scan))).toEqual([]);
  expect(pages).toBeLessThan(10_000);
});

it('an address that is not what the vault derives is left out: its signature would not be its own [L-158]', async () => {
  await db.query(`insert into disproved_address (address_id, derivation_index, derivation_path, address, address_key)
     select id, derivation_index, derivation_path, address, address_key from pool_address order by id desc limit 1`);
  const rows = await db.database.rows(findCandidates(['evm'], 1));
  expect(rows.map(({ units }) => Number(units))).toEqual([BALANCES - 10]);
});

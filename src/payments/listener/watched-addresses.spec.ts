import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { query } from '../../../test/support/sql.js';
import type { Database } from '../../platform/database/database.js';
import { WatchedAddresses } from './watched-addresses.js';

let db: TestDatabase;
let database: Database;

beforeAll(async () => {
  db = await freshDatabase();
  database = db.database;
});
afterAll(() => db.drop());

const addressOf = (index: number): string => `0x${index.toString(16).padStart(40, '0')}`;

const derive = (from: number, to: number, environment = 'sandbox'): Promise<unknown> =>
  query(
    database,
    `insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key)
     select $3, 'evm', i, 'm/' || i, key, key
       from (select i, '0x' || lpad(to_hex(i), 40, '0') as key from generate_series($1::int, $2::int) i) made`,
    [from, to, environment],
  );

it('watches 200,000 addresses, and learns later ones without reading the first again [F-82]', async () => {
  for (let from = 1; from < 200_000; from += 25_000) await derive(from, from + 24_999);
  await derive(900_001, 900_002, 'live');
  const watched = new WatchedAddresses(database, 'sandbox', 'evm');
  const isOurs = await watched.refresh();
  expect([1, 77_777, 200_000].map((index) => isOurs(addressOf(index)))).toEqual([true, true, true]);
  expect([0, 200_001, 900_001].map((index) => isOurs(addressOf(index)))).toEqual([false, false, false]);

  await derive(200_001, 200_003);
  const [plan] = await query<{ 'QUERY PLAN': string }>(
    database,
    `explain select id, address_key from pool_address
      where environment = 'sandbox' and family = 'evm' and id > 200000 order by id limit 50000`,
  );
  expect(JSON.stringify(plan)).not.toContain('Sort');
  const isOursNow = await watched.refresh();
  expect([200_001, 200_003].map((index) => isOursNow(addressOf(index)))).toEqual([true, true]);
});

it('keeps its addresses when two chains refresh it at the same moment', async () => {
  const watched = new WatchedAddresses(database, 'sandbox', 'evm');
  const tests = await Promise.all([watched.refresh(), watched.refresh(), watched.refresh()]);
  expect(tests.map((isOurs) => isOurs(addressOf(200_003)))).toEqual([true, true, true]);
});

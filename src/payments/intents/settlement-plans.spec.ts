import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, aDeposit, aMerchant, anIntent } from '../../../test/support/factories.js';
import { readTypedByGenericPlan } from '../../../test/support/query-plan.js';
import { query } from '../../../test/support/sql.js';
import { deleteMarks } from './dirty-intents.sql.js';
import { findDeposits } from './intent-deposits.sql.js';
import { lockIntents } from './payment-intents.sql.js';
import {
  findChainProgress,
  findUnsettled,
  lockIdleUnsettled,
  passIntents,
  recordBooking,
  recordOutcomes,
} from './settlement.sql.js';

const MANY = 5_000;
const TABLES = /payment_intent|deposit|dirty_intent|pool_address|watched_account|unexplained_balance/;
/** An update writes into every index of its row. */
const PAGES_MAX = 25 * 40;
const OUTCOME = {
  status: 'completed',
  failure: null,
  receivedUnits: 1n,
  receivedCents: 1,
  overpaidCents: 0,
  acceptedShortfallCents: 0,
  awaitsStaff: false,
} as const;
const IDS = Array.from({ length: 25 }, (_, n) => String(n + 1));

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
  const { database } = db;
  const chain = await aChain(database);
  const intent = await anIntent(database, { tenant: await aMerchant(database), chain });
  const deposit = await aDeposit(database, intent);
  // Copies without the guards, which demand what belongs to each row.
  await db.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await query(
      tx,
      `insert into payment_intent select (jsonb_populate_record(i, jsonb_build_object('id', n, 'address', n))).*
         from payment_intent i, generate_series(1, ${MANY}) n where i.id = $1`,
      [intent.id],
    );
    await query(
      tx,
      `insert into deposit select (jsonb_populate_record(d, jsonb_build_object('id', n, 'intent_id', n, 'position', n))).*
         from deposit d, generate_series(1, ${MANY}) n where d.id = $1`,
      [deposit],
    );
    await query(tx, `insert into dirty_intent (intent_id) select n from generate_series(1, ${MANY}) n`);
    await query(
      tx,
      `insert into pool_address (id, environment, family, derivation_index, derivation_path, address, address_key, intent_id, assigned_at)
       overriding system value
       select n + 1e6, 'sandbox', 'tron', n + 1e6, n, n, n, n, now() from generate_series(1, ${MANY}) n`,
    );
    await query(tx, `insert into watched_account select $1, n, n + 1e6, 'native' from generate_series(1, ${MANY}) n`, [
      chain.chainRef,
    ]);
    await query(tx, `insert into unexplained_balance select $1, n, 1 from generate_series(1, ${MANY}) n`, [
      chain.chainRef,
    ]);
  });
  await query(
    db.owner,
    `analyze payment_intent, deposit, dirty_intent, pool_address, watched_account, unexplained_balance`,
  );
});
afterAll(() => db.drop());

it.each([
  ['finds', findUnsettled(IDS)],
  ['locks', lockIntents(IDS)],
  ['locks without a wait', lockIdleUnsettled(IDS)],
  ['unmarks', deleteMarks(IDS)],
  ['reads the chains of', findChainProgress(IDS)],
  ['reads the deposits of', findDeposits(IDS)],
  ['passes', passIntents(IDS, 'processing')],
  ['writes the outcomes of', recordOutcomes(IDS.map((id) => ({ id, outcome: OUTCOME, isDue: false, isChange: true })))],
  ['books the deposits of', recordBooking(IDS.map((id) => ({ id, late: false, isBooked: false })))],
])('a settlement %s 25 intents by indexes', async (_what, statement) => {
  const { scans, pages } = await readTypedByGenericPlan(db.database, statement);
  const large = scans.filter((scan) => TABLES.test(scan));
  expect(large.length).toBeGreaterThan(0);
  expect(large.filter((scan) => scan.startsWith('Seq Scan'))).toEqual([]);
  expect(pages).toBeLessThan(PAGES_MAX);
});

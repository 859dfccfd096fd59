import { eventPage } from '../../src/events/event-page.sql.js';
import { compiled } from '../../src/platform/sql/sql.js';
import type { EventListQuery } from '../../src/events/events.schema.js';
import { EventViewsService } from '../../src/events/event-views.service.js';
import { intentPage } from '../../src/payments/intents/intent-page.sql.js';
import { IntentReader } from '../../src/payments/intents/intent-reader.service.js';
import { listIntentsQuery } from '../../src/payments/intents/payment-intent.schema.js';
import type { Tenant } from '../../src/domain/tenant.js';
import { PocketsService } from '../../src/ledger/pockets.service.js';
import { NetworkViews } from '../../src/offers/network-views.service.js';
import { withClient } from '../../src/platform/database/migrate.js';
import { WithdrawalReader } from '../../src/withdrawals/withdrawal-reader.service.js';
import { listWithdrawalsQuery } from '../../src/withdrawals/withdrawal.schema.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { aChain, aMerchant } from '../support/factories.js';
import { readByPlan } from '../support/query-plan.js';

const ROWS = 30_000;
const LIMIT = 20;
/** Rows of the list, and of the objects shown with each. */
const READ_MAX = LIMIT * 4;

/**
 * A merchant's year: one intent in a hundred expired, one in fifty on bnb, none of both kinds in a row. Two of three have
 * the same reference, the others one of their own.
 */
const INTENTS = `
  insert into payment_intent (id, merchant_id, environment, status, amount_cents, currency, settlement_currency, network,
    token, reference, created_at, updated_at, expires_at, due_at)
  select 'pi_' || lpad(n::text, 26, '0'), $1, 'sandbox', case when n % 100 = 7 then 'expired' else 'cancelled' end, 2500,
         'USD', 'USDC', case when n % 50 = 3 then 'bnb' else 'polygon' end, 'USDC',
         case when n % 3 = 0 then 'order-' || n else 'shop' end, at, at, at, at
    from (select n, now() - ($2::int - n) * interval '17 minutes' as at from generate_series(1, $2::int) n) numbered`;
const EVENTS = `
  insert into event (id, merchant_id, environment, type, resource_id, data, created_at, sequence, body)
  select 'evt_' || lpad(n::text, 26, '0'), $1, 'sandbox',
         case when n % 1000 = 7 then 'ping' else 'payment_intent.completed' end, 'pi_1', '{}', at, n, '{}'
    from (select n, now() - ($2::int - n) * interval '17 minutes' as at from generate_series(1, $2::int) n) numbered`;
/** Where all withdrawals go to. */
const TREASURY = `0x${'1'.repeat(40)}`;
/** Of all the merchant's pockets; one withdrawal in a hundred failed. */
const WITHDRAWALS = `
  insert into withdrawal (id, merchant_id, environment, pocket_id, chain_ref, network, token, token_contract,
    token_decimals, minor_unit_exponent, amount_cents, amount, network_fee_cents, fee_amount, destination, destination_key,
    fee_strategy, reference, status, tx_hash, completed_at, failure_code, failure_message, created_at, updated_at)
  select 'wd_' || lpad(n::text, 26, '0'), $1, 'sandbox', pocket.id, $3, pocket.network, pocket.token,
         pocket.token_contract, 6, 2, 100, 1000000, 1, 10000, '${TREASURY}', '${TREASURY}', 'standard',
         case when n % 3 = 0 then 'payout-' || n else 'salary' end,
         case when is_failed then 'failed' else 'completed' end, '0x2', case when is_failed then null else at end,
         case when is_failed then 'transaction_reverted' end, case when is_failed then 'Refused.' end, at, at
    from (select n, n % 100 = 7 as is_failed, now() - ($2::int - n) * interval '17 minutes' as at
            from generate_series(1, $2::int) n) numbered
    join (select *, row_number() over (order by token desc) as nth from pocket where merchant_id = $1) pocket
      on pocket.nth = case when n % 50 = 3 then 2 else 1 end`;

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
const deep = String(ROWS / 2).padStart(26, '0');
const common = { reference: 'shop' };
const wide = { created_gte: daysAgo(340), created_lt: daysAgo(10) };

let db: TestDatabase;
let tenant: Tenant;
/** Has a tenth of the rows. */
let small: Tenant;
/** The pocket of one withdrawal in fifty. */
let rarePocket: string;
beforeAll(async () => {
  db = await freshDatabase();
  tenant = await aMerchant(db.database);
  small = await aMerchant(db.database);
  const chain = await aChain(db.database);
  const other = { symbol: 'EURC', contract: `0x${'e'.repeat(40)}` };
  await db.database.transaction((tx) =>
    new PocketsService().openForMerchant(tx, tenant.merchantId, [chain, { ...chain, ...other }]),
  );
  // As the owner, who has no statement timeout, and without the triggers, which check every row.
  await withClient(db.ownerUrl, async (client) => {
    await client.query(`set session_replication_role = 'replica'`);
    await client.query(INTENTS, [tenant.merchantId, ROWS]);
    await client.query(INTENTS.replaceAll(`'pi_'`, `'pi_x'`), [small.merchantId, ROWS / 10]);
    await client.query(EVENTS, [tenant.merchantId, ROWS]);
    await client.query(EVENTS.replaceAll(`'evt_'`, `'evt_x'`), [small.merchantId, ROWS / 10]);
    await client.query(WITHDRAWALS, [tenant.merchantId, ROWS, chain.chainRef]);
    await client.query('vacuum analyze');
  });
  const [pocket] = await db.query<{ id: string }>(`select id from pocket where token = 'EURC'`);
  rarePocket = pocket?.id ?? '';
}, 120_000);
afterAll(() => db.drop());

/** Rows of the lists' tables that PostgreSQL visited for `read`: along an index, and by scanning a table. */
async function rowsReadBy(read: () => Promise<unknown>): Promise<{ byIndex: number; byScan: number }> {
  const look = async (): Promise<{ byIndex: number; byScan: number }> => {
    await db.query(`select pg_stat_force_next_flush()`);
    const [row] = await db.query<{
      by_index: string;
      by_scan: string;
    }>(`select sum(idx_tup_fetch) as by_index, sum(seq_tup_read) as by_scan from pg_stat_user_tables
        where relname in ('payment_intent', 'event', 'withdrawal')`);
    return { byIndex: Number(row?.by_index), byScan: Number(row?.by_scan) };
  };
  const before = await look();
  await read();
  const after = await look();
  return { byIndex: after.byIndex - before.byIndex, byScan: after.byScan - before.byScan };
}

it.each<[what: string, query: Readonly<Record<string, string>>]>([
  ['nothing', {}],
  ['a deep page', { starting_after: `pi_${deep}` }],
  ['a rare status', { status: 'expired' }],
  ['a rare status, deep', { status: 'expired', starting_after: `pi_${deep}` }],
  ['a rare network', { network: 'bnb' }],
  ['a pair that never occurs', { network: 'bnb', status: 'expired' }],
  ['a status that never occurs', { status: 'failed' }],
  ['a wide range of dates', wide],
  ['a wide range, deep, by status', { ...wide, status: 'expired', starting_after: `pi_${deep}` }],
  ['a range before all', { created_lt: daysAgo(4_000) }],
  ['a reference', { reference: 'order-3' }],
  ['a reference that never occurs', { reference: 'order-1' }],
  ['a common reference', common],
  ['a common reference, deep', { ...common, starting_after: `pi_${deep}` }],
  ['a common reference and a rare status', { ...common, status: 'expired' }],
  ['a common reference and a rare network, deep', { ...common, network: 'bnb', starting_after: `pi_${deep}` }],
  ['a common reference and a pair that never occurs', { ...common, network: 'bnb', status: 'expired' }],
  ['a common reference and a wide range, by status', { ...common, ...wide, status: 'expired' }],
  ['an address', { address: `0x${'a'.repeat(40)}` }],
  ['a transaction', { tx_hash: `0x${'b'.repeat(64)}` }],
  ['an address and a common reference', { ...common, address: `0x${'a'.repeat(40)}` }],
  ['a transaction and a common reference', { ...common, tx_hash: `0x${'b'.repeat(64)}` }],
  [
    'a transaction, a common reference and a status',
    { ...common, status: 'cancelled', tx_hash: `0x${'b'.repeat(64)}` },
  ],
])('a list of intents by %s reads no more rows than it shows [N-175]', async (_what, filter) => {
  const reader = new IntentReader(db.database, new NetworkViews(db.database));
  const parsed = listIntentsQuery.parse({ limit: String(LIMIT), ...filter });
  const { byIndex, byScan } = await rowsReadBy(() => reader.list(tenant, parsed));
  expect(byScan).toBe(0);
  expect(byIndex).toBeLessThanOrEqual(READ_MAX);
});

/** The planner expects few rows of a reference that was rare or missing when the statistics were made. */
it.each([
  ['an address', { address: `0x${'a'.repeat(40)}` }],
  ['a transaction', { tx_hash: `0x${'b'.repeat(64)}` }],
])('intents by %s are read by their ids, though a reference is given that seems rare [N-175]', async (_what, found) => {
  const filter = listIntentsQuery.parse({ limit: String(LIMIT), reference: 'order-3', ...found });
  const { text, values } = compiled(intentPage(tenant, filter, null));
  for (const mode of ['custom', 'generic'] as const) {
    const { scans } = await readByPlan(mode, db.database, text, values);
    expect(scans.filter((scan) => scan.includes('reference'))).toEqual([]);
  }
});

const wideDates = { created_gte: new Date(wide.created_gte), created_lt: new Date(wide.created_lt) };
const early = { created_gte: new Date(daysAgo(340)), created_lt: new Date(daysAgo(339)) };
const deepEvent = { starting_after: `evt_${deep}` };
const rareType = { event_type: 'ping' } as const;

it.each<[what: string, filter: Partial<EventListQuery>]>([
  ['nothing', {}],
  ['a deep page', deepEvent],
  ['a rare type', rareType],
  ['a rare type, deep', { ...rareType, ...deepEvent }],
  ['a type that never occurs', { event_type: 'payment_intent.failed' }],
  ['sequence, from the beginning', { after_sequence: 0 }],
  ['a deep page by sequence', { after_sequence: 0, ...deepEvent }],
  ['a rare type by sequence', { after_sequence: 0, ...rareType }],
  ['a wide range of dates', wideDates],
  ['a wide range of dates, deep', { ...wideDates, ...deepEvent }],
  ['a wide range of dates, by a rare type', { ...wideDates, ...rareType }],
  ['a wide range of dates, by a rare type, deep', { ...wideDates, ...rareType, ...deepEvent }],
  ['a wide range of dates by sequence', { ...wideDates, after_sequence: 0 }],
  ['a wide range of dates by sequence, deep', { ...wideDates, after_sequence: 0, ...deepEvent }],
  ['an early day', early],
  ['an early day, far above the cursor', { ...early, after_sequence: ROWS - LIMIT }],
  ['a day after all', { created_gte: new Date(Date.now() + 86_400_000) }],
  ['a range before all', { created_lt: new Date(daysAgo(4_000)) }],
])('a list of events by %s reads no more rows than it shows [N-175]', async (_what, filter) => {
  const views = new EventViewsService(db.database);
  const { byIndex, byScan } = await rowsReadBy(() => views.list(tenant, { limit: LIMIT, ...filter }));
  expect(byScan).toBe(0);
  expect(byIndex).toBeLessThanOrEqual(READ_MAX);
});

const bothTenants = [
  ['a big tenant', () => tenant],
  ['a small tenant', () => small],
] as const;

it.each(
  bothTenants.flatMap(([size, of]) =>
    [wideDates, early, { ...wideDates, ...rareType }, { ...wideDates, after_sequence: 0 }].map(
      (filter) => [size, JSON.stringify(filter), of, filter] as const,
    ),
  ),
)('the events of %s between dates are walked in order by every plan: %s [N-175]', async (_size, _what, of, filter) => {
  const { text, values } = compiled(eventPage(of(), { limit: LIMIT, ...filter }, null));
  for (const mode of ['custom', 'generic'] as const) {
    const { steps } = await readByPlan(mode, db.database, text, values);
    expect([mode, steps.filter(({ path }) => /Sort|Bitmap|Seq Scan/.test(path))]).toEqual([mode, []]);
  }
});

// The planner sorts no table of this size. In a larger one it would if it expected only a few rows.
it.each([wideDates, { ...wideDates, after_sequence: 0 }])(
  'the planner expects a full page of events between dates: %j',
  async (filter) => {
    const { text, values } = compiled(eventPage(tenant, { limit: LIMIT, ...filter }, null));
    const { foreseen } = await readByPlan('custom', db.database, text, values);
    expect(foreseen).toBe(LIMIT + 1);
  },
);

const rareSalary = { reference: 'salary', status: 'failed' };
const rareTreasury = { destination: TREASURY, status: 'failed' };

it.each<[what: string, query: () => Readonly<Record<string, string>>]>([
  ['nothing', () => ({})],
  ['a deep page', () => ({ starting_after: `wd_${deep}` })],
  ['a rare status', () => ({ status: 'failed' })],
  ['a status that never occurs', () => ({ status: 'broadcasting' })],
  ['a rare pocket', () => ({ pocket_id: rarePocket })],
  ['a rare pocket, deep', () => ({ pocket_id: rarePocket, starting_after: `wd_${deep}` })],
  ['a pair that never occurs', () => ({ pocket_id: rarePocket, status: 'failed' })],
  ['a wide range, deep, by status', () => ({ ...wide, status: 'failed', starting_after: `wd_${deep}` })],
  ['a reference', () => ({ reference: 'payout-3' })],
  ['a common reference', () => ({ reference: 'salary' })],
  ['a common reference, deep, by status', () => ({ ...rareSalary, starting_after: `wd_${deep}` })],
  ['a common reference, a rare pocket and a status', () => ({ ...rareSalary, pocket_id: rarePocket })],
  ['a common destination', () => ({ destination: TREASURY })],
  ['a common destination, deep, by status', () => ({ ...rareTreasury, starting_after: `wd_${deep}` })],
  ['a common destination, a rare pocket and a status', () => ({ ...rareTreasury, pocket_id: rarePocket })],
  ['a destination that never occurs', () => ({ destination: `0x${'2'.repeat(40)}` })],
  ['a transaction', () => ({ tx_hash: `0x${'b'.repeat(64)}` })],
])('a list of withdrawals by %s reads no more rows than it shows [N-175]', async (_what, filter) => {
  const reader = new WithdrawalReader(db.database);
  const parsed = listWithdrawalsQuery.parse({ limit: String(LIMIT), ...filter() });
  const { byIndex, byScan } = await rowsReadBy(() => reader.list(tenant, parsed));
  expect(byScan).toBe(0);
  expect(byIndex).toBeLessThanOrEqual(READ_MAX);
});

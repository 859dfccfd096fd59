import type { EventFilter } from '../../src/events/event-views.service.js';
import { EventViewsService } from '../../src/events/event-views.service.js';
import { IntentReader } from '../../src/intents/intent-reader.service.js';
import { listIntentsQuery } from '../../src/intents/payment-intent.schema.js';
import type { Tenant } from '../../src/domain/tenant.js';
import { NetworkViews } from '../../src/networks/network-views.service.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { aMerchant } from '../support/factories.js';

const ROWS = 30_000;
const LIMIT = 20;
/** Of the list's rows, and of what is shown with each. */
const READ_MAX = LIMIT * 4;

/** A merchant's year: one intent in a hundred expired, one in fifty on bnb, none of both kinds in a row. */
const INTENTS = `
  insert into payment_intent (id, merchant_id, environment, status, amount_cents, currency, settlement_currency, network,
    token, created_at, updated_at, expires_at, due_at)
  select 'pi_' || lpad(n::text, 26, '0'), $1, 'sandbox', case when n % 100 = 7 then 'expired' else 'cancelled' end, 2500,
         'USD', 'USDC', case when n % 50 = 3 then 'bnb' else 'polygon' end, 'USDC', at, at, at, at
    from (select n, now() - ($2::int - n) * interval '17 minutes' as at from generate_series(1, $2::int) n) numbered`;
const EVENTS = `
  insert into event (id, merchant_id, environment, type, resource_id, data, created_at, sequence, body)
  select 'evt_' || lpad(n::text, 26, '0'), $1, 'sandbox',
         case when n % 1000 = 7 then 'ping' else 'payment_intent.completed' end, 'pi_1', '{}', at, n, '{}'
    from (select n, now() - ($2::int - n) * interval '17 minutes' as at from generate_series(1, $2::int) n) numbered`;

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
const deep = String(ROWS / 2).padStart(26, '0');
const wide = { created_gte: daysAgo(340), created_lt: daysAgo(10) };

let db: TestDatabase;
let tenant: Tenant;
beforeAll(async () => {
  db = await freshDatabase();
  tenant = await aMerchant(db.database);
  const others = await aMerchant(db.database);
  await db.database.query(INTENTS, [tenant.merchantId, ROWS]);
  await db.database.query(INTENTS.replaceAll(`'pi_'`, `'pi_x'`), [others.merchantId, ROWS / 10]);
  await db.database.query(EVENTS, [tenant.merchantId, ROWS]);
  await db.database.query(EVENTS.replaceAll(`'evt_'`, `'evt_x'`), [others.merchantId, ROWS / 10]);
  await db.database.query(`vacuum analyze`);
}, 120_000);
afterAll(() => db.drop());

/** Rows of the two tables that `read` made PostgreSQL look at: along an index, and by reading a table from end to end. */
async function rowsReadBy(read: () => Promise<unknown>): Promise<{ byIndex: number; byScan: number }> {
  const look = async (): Promise<{ byIndex: number; byScan: number }> => {
    await db.database.query(`select pg_stat_force_next_flush()`);
    const [row] = await db.database.query<{ by_index: string; by_scan: string }>(
      `select sum(idx_tup_fetch) as by_index, sum(seq_tup_read) as by_scan from pg_stat_user_tables
        where relname in ('payment_intent', 'event')`,
    );
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
])('a list of intents by %s reads no more rows than it shows [N-175]', async (_what, query) => {
  const reader = new IntentReader(db.database, new NetworkViews(db.database));
  const parsed = listIntentsQuery.parse({ limit: String(LIMIT), ...query });
  const { byIndex, byScan } = await rowsReadBy(() => reader.list(tenant, parsed));
  expect(byScan).toBe(0);
  expect(byIndex).toBeLessThanOrEqual(READ_MAX);
});

it.each<[what: string, filter: Partial<EventFilter>]>([
  ['nothing', {}],
  ['a deep page', { starting_after: `evt_${deep}` }],
  ['a rare type', { event_type: 'ping' }],
  ['a type that never occurs', { event_type: 'payment_intent.failed' }],
  ['sequence, from the beginning', { after_sequence: 0 }],
  ['a deep page by sequence', { after_sequence: 0, starting_after: `evt_${deep}` }],
  ['a wide range of dates', { created_gte: new Date(daysAgo(340)), created_lt: new Date(daysAgo(10)) }],
])('a list of events by %s reads no more rows than it shows [N-175]', async (_what, filter) => {
  const views = new EventViewsService(db.database);
  const { byIndex, byScan } = await rowsReadBy(() => views.list(tenant, { limit: LIMIT, ...filter }));
  expect(byScan).toBe(0);
  expect(byIndex).toBeLessThanOrEqual(READ_MAX);
});

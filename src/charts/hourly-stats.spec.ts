import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aMerchant, anIntentWithoutAddress } from '../../test/support/factories.js';
import { query } from '../../test/support/sql.js';
import { idSource, type IdPrefix } from '../domain/id-source.js';
import type { SqlParameter } from '../platform/sql/sql.js';
import { DailyFiguresReader } from './daily-figures.service.js';
import { HourlyStats } from './hourly-stats.service.js';

const HOUR_MS = 3_600_000;

let db: TestDatabase;
let stats: HourlyStats;
let merchantId: string;
/** The hour in which the tests run. */
let thisHour: number;
beforeEach(async () => {
  db = await freshDatabase();
  stats = new HourlyStats(db.database);
  ({ merchantId } = await aMerchant(db.database));
  const [row] = await db.query<{ ms: string }>(`select extract(epoch from date_trunc('hour', now())) * 1000 as ms`);
  thisHour = Number(row?.ms);
});
afterEach(() => db.drop());

let ids = 0;

/** An id that was made at this time. */
const idAt = (prefix: IdPrefix, ms: number): string =>
  idSource(
    () => (ids++ % 32) / 32,
    () => ms,
  )(prefix);

/** Runs a statement with all guards disabled. */
async function past(statement: string, values: readonly SqlParameter[]): Promise<void> {
  await db.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await query(tx, statement, values);
  });
}

/** An intent that was created at a time and ended in the same hour, with its event. */
async function endedIntent(ms: number, status: string, cents: number): Promise<void> {
  const made = await anIntentWithoutAddress(db.database, { merchantId, environment: 'sandbox' });
  const id = idAt('pi_', ms);
  await past(`update payment_intent set id = $2, received_amount_cents = $3 where id = $1`, [made, id, cents]);
  await past(
    `insert into event (id, merchant_id, environment, type, resource_id, data) values ($1, $2, 'sandbox', $3, $4, '{}')`,
    [idAt('evt_', ms + 1), merchantId, `payment_intent.${status}`, id],
  );
}

/** An attempt to deliver something at a time. */
async function attempt(ms: number, answer: number | null): Promise<void> {
  const id = idAt('dlv_', ms);
  await past(
    `insert into delivery (id, event_id, endpoint_id, status, environment) values ($1, $1, 'we_1', 'pending', 'sandbox')`,
    [id],
  );
  await past(
    `insert into delivery_attempt (delivery_id, number, started_at, duration_ms, signed_at, response_status, response_headers,
       error_code)
     values ($1, 1, $2, 5, 0, $3, $4, $5)`,
    [id, new Date(ms), answer, answer === null ? null : '{}', answer === null ? 'timeout' : null],
  );
}

/** The figures of an hour that are not 0. */
async function figuresAt(ms: number): Promise<Record<string, number>> {
  const found = await db.query<{ name: string; value: string }>(
    `select name, value from hourly_stat where environment = 'sandbox' and hour = $1 and value <> 0`,
    [new Date(ms)],
  );
  return Object.fromEntries(found.map(({ name, value }) => [name, Number(value)]));
}

it('fills each closed hour with what the database has of it, also after a downtime, and the open one not yet', async () => {
  const first = thisHour - 5 * HOUR_MS;
  await endedIntent(first, 'completed', 1_250);
  await endedIntent(first + HOUR_MS - 2, 'completed', 2_000);
  await endedIntent(first + 60_000, 'expired', 0);
  await endedIntent(first + HOUR_MS, 'failed', 0);
  await endedIntent(thisHour, 'completed', 2_500);
  await attempt(first + 1, 200);
  await attempt(first + 2, 204);
  await attempt(first + 3, 500);
  await attempt(first + 4, null);
  await attempt(first + HOUR_MS, 200);
  const filled = await stats.fill();
  // The hour before this one is closed five minutes after its end.
  expect([4, 5]).toContain(filled);
  expect(await figuresAt(first)).toEqual({
    settled_cents: 3_250,
    intents_created: 3,
    intents_completed: 2,
    intents_expired: 1,
    attempts_delivered: 2,
    attempts_failed: 2,
  });
  expect(await figuresAt(first + HOUR_MS)).toEqual({ intents_created: 1, intents_failed: 1, attempts_delivered: 1 });
  expect(await figuresAt(first + 2 * HOUR_MS)).toEqual({});
  expect(await figuresAt(thisHour)).toEqual({});
  const [row] = await db.query<{ hours: number; figures: number }>(
    `select count(distinct hour)::int as hours, count(*)::int as figures from hourly_stat`,
  );
  expect(row).toEqual({ hours: filled, figures: filled * 16 });
});

it('continues after the last filled hour, and fills an hour again to the same figures', async () => {
  const first = thisHour - 4 * HOUR_MS;
  await endedIntent(first, 'completed', 1_000);
  await endedIntent(first + HOUR_MS, 'completed', 2_000);
  await stats.fill();
  const all = () => db.query(`select * from hourly_stat order by environment, hour, name`);
  const before = await all();
  await past(`delete from hourly_stat where hour > $1`, [new Date(first)]);
  expect(await stats.fill()).toBeGreaterThan(0);
  expect((await all()).length).toBeGreaterThanOrEqual(before.length);
  expect((await all()).slice(0, before.length)).toEqual(before);
});

it('sums the hours of each day, without gaps, for one environment', async () => {
  const yesterday = Math.floor(thisHour / (24 * HOUR_MS)) * 24 * HOUR_MS - 3 * HOUR_MS;
  await endedIntent(yesterday - HOUR_MS, 'completed', 1_000);
  await endedIntent(yesterday, 'completed', 500);
  await stats.fill();
  const reader = new DailyFiguresReader(db.database);
  const { days } = await reader.of('sandbox', 7);
  expect(days).toHaveLength(7);
  const settled = days.map(({ day, figures }) => [day, figures.get('settled_cents')]);
  expect(settled.filter(([, cents]) => cents !== 0n)).toEqual([
    [new Date(yesterday).toISOString().slice(0, 10), 1_500n],
  ]);
  const { days: live } = await reader.of('live', 7);
  expect(live.every(({ figures }) => figures.get('settled_cents') === 0n)).toBe(true);
});

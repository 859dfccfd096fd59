import { globSync, readFileSync } from 'node:fs';
import { MIGRATIONS } from '../../migrations/list.js';
import { ENTITIES } from '../../src/app/entities.js';
import { migrate } from '../support/migrate.js';
import { freshDatabase } from '../support/database.js';
import { markCountedOnHold } from '../../src/payments/intents/dirty-intents.sql.js';
import { SettlementScheduler } from '../../src/payments/intents/settlement-scheduler.service.js';
import { findReceivedBefore } from '../../src/payments/intents/settlement.sql.js';
import { compiled } from '../../src/platform/sql/sql.js';
import { aDeposit } from '../support/factories.js';
import { SuspenseScene } from '../support/suspense-scene.js';
import { readByGenericPlan } from '../support/query-plan.js';
import { RecordingQueue } from '../support/recording-queue.js';
import { depositOperationsOn, settlementOn, stateOf } from '../support/settlement.js';
import { query } from '../support/sql.js';

const root = new URL('../../', import.meta.url);

/**
 * Statements that remove something from a schema which the previous version still uses: during a rolling update both
 * versions run. Such a change comes one version after the last code that needed the old shape, in a migration that is
 * listed here.
 */
const CONTRACTIONS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['drops a table', /\bdrop table\b/i],
  ['drops a column', /\bdrop column\b/i],
  ['renames', /\brename\b/i],
  ['changes a type', /\balter (column )?\w+ (set data )?type\b/i],
  ['forbids null', /\bset not null\b/i],
];
const AGREED: readonly string[] = [];

/** Columns added to a table that others write to: one that must be given is unknown to them. */
const ADDED = /\badd column (?:if not exists )?(?<definition>[^,;`]+)/gi;

function contractionsIn(text: string): string[] {
  const found = CONTRACTIONS.filter(([, pattern]) => pattern.test(text)).map(([what]) => what);
  const demanded = [...text.matchAll(ADDED)]
    .map(({ groups }) => groups?.['definition'] ?? '')
    .some((definition) => /\bnot null\b/i.test(definition) && !/\b(default|generated)\b/i.test(definition));
  return demanded ? [...found, 'demands a new column'] : found;
}

describe('a migration', () => {
  const paths = globSync('migrations/2*.ts', { cwd: root });

  it('is checked, like every other in the list', () => {
    expect(paths).toHaveLength(MIGRATIONS.length);
  });

  it.each(paths)('%s only expands, so that the previous version continues beside the new one [K-151]', (path) => {
    if (AGREED.includes(path)) return;
    expect(contractionsIn(readFileSync(new URL(path, root), 'utf8'))).toEqual([]);
  });

  it.each([
    ['alter table deposit drop column position', ['drops a column']],
    ['drop table delivery', ['drops a table']],
    ['alter table event rename column data to body', ['renames']],
    ['alter table event alter column data type jsonb', ['changes a type']],
    ['alter table event alter column data set not null', ['forbids null']],
    ['alter table event add column kind text not null', ['demands a new column']],
    ['alter table event add column kind text not null default 1, add column at timestamptz', []],
    ['alter table event drop constraint event_check, alter column data drop not null', []],
  ])('that says "%s" is known for what it is', (statement, found) => {
    expect(contractionsIn(statement)).toEqual(found);
  });
});

it('a process of the version before starts on a schema that has been migrated further, and leaves it as it is [K-151]', async () => {
  const db = await freshDatabase();
  const applied = (): Promise<{ name: string }[]> =>
    query(db.database, `select name from schema_migration order by id`);
  const before = await applied();
  expect(before.map(({ name }) => name)).toEqual(MIGRATIONS.map(({ name }) => name));
  await migrate(db.url, ENTITIES, MIGRATIONS.slice(0, -1));
  expect(await applied()).toEqual(before);
  await db.drop();
});

describe('a worker of the version before, on a schema in which money on hold counts for nothing,', () => {
  // It writes the sum of every final deposit in one statement of its settlement.
  const END = `
    update payment_intent set status = $2, failure_code = case when $2 = 'failed' then 'underpaid' end,
           received_crypto_amount = $3, received_amount_cents = $4,
           completed_at = case when $2 = 'completed' then now() end
     where id = $1`;
  let scene: SuspenseScene;

  beforeAll(async () => {
    scene = await SuspenseScene.open();
  });
  afterAll(() => scene.close());

  it.each([
    ['completes', 'completed', 25_000_000n, 2500],
    ['fails', 'failed', 10_000_000n, 1000],
  ])('%s no intent by it, and tries again [K-151] [G-98]', async (_ends, status, received, cents) => {
    const intent = await scene.anIntent({ status: 'processing' });
    await scene.aFrozenPayment(intent);
    const ended = query(scene.database, END, [intent.id, status, String(received), cents]);
    // 40001: it does not set the intent aside.
    await expect(ended).rejects.toMatchObject({ code: '40001', message: expect.stringContaining('money on hold') });
    await aDeposit(scene.database, intent, { amount: received, status: 'confirmed' });
    await query(scene.database, END, [intent.id, status, String(received), cents]);
  });

  it('that called a payment received when it froze it has it received once, also after its release [K-151]', async () => {
    const { database } = scene;
    const intent = await scene.anIntent();
    const [received, unreceived] = [
      await scene.aFrozenPayment(intent, { amount: 10_000_000n }),
      await scene.aFrozenPayment(intent, { amount: 5_000_000n }),
    ];
    await query(
      database,
      `insert into event (id, merchant_id, environment, type, resource_id, data)
       select id || '_before', merchant_id, environment, 'payment_intent.payment_received', resource_id,
              jsonb_set(data::jsonb, '{payments}', jsonb_build_array(data::jsonb #> '{payments,0}' #- '{id}'))
         from event where resource_id = $1 and type = 'payment_intent.on_hold'
          and data::jsonb #>> '{payments,0,id}' = $2`,
      [intent.id, received],
    );
    const before = ['processing', 'on_hold', 'on_hold', 'payment_received'];
    const release = (id: string) =>
      database.transaction((tx) => depositOperationsOn(database).release(tx, id, { actor: 'a test', reason: 'none' }));
    await release(received);
    expect(await stateOf(database, intent)).toMatchObject({ received: 10_000_000n, events: before });
    await release(unreceived);
    expect(await stateOf(database, intent)).toMatchObject({ events: [...before, 'payment_received'] });
  });

  it('leaves events that a release finds by their intent', async () => {
    const intent = await scene.anIntent();
    const deposit = await scene.aFrozenPayment(intent);
    await query(
      scene.database,
      `insert into event (id, merchant_id, environment, type, resource_id, data)
       select event.id || n, merchant_id, environment, type, 'pi_' || n, '{}'
         from event cross join generate_series(1, 1000) n where resource_id = $1`,
      [intent.id],
    );
    await query(scene.db.owner, 'analyze event');
    const { text, values } = compiled(findReceivedBefore(intent.id, [deposit]));
    const { scans } = await readByGenericPlan(scene.database, text, values);
    expect(scans).toContain('Bitmap Heap Scan on event');
  });

  it('leaves amounts with money on hold, which a new worker finds and puts right, once [K-151]', async () => {
    const { database } = scene;
    const scheduler = new SettlementScheduler(database, new RecordingQueue().queue);
    const marks = (id: string) => query(database, `select from dirty_intent where intent_id = $1`, [id]);
    const [wrong, right] = [await scene.anIntent(), await scene.anIntent()];
    for (const intent of [wrong, right]) await scene.aFrozenPayment(intent);
    await query(
      database,
      `update payment_intent set received_crypto_amount = 25000000, received_amount_cents = 2500 where id = $1`,
      [wrong.id],
    );
    await scheduler.recheckOnHold();
    expect(await marks(wrong.id)).toHaveLength(1);
    expect(await marks(right.id)).toEqual([]);
    await settlementOn(database).settle(wrong.id);
    expect(await stateOf(database, wrong)).toMatchObject({ status: 'processing', received: 0n, receivedCents: 0 });
    await scheduler.recheckOnHold();
    expect(await marks(wrong.id)).toEqual([]);
  });

  it('leaves intents that are found by what is held', async () => {
    const stray = await scene.anIntent();
    await scene.aFrozenPayment(stray);
    const original = await aDeposit(scene.database, stray);
    await query(
      scene.database,
      `insert into deposit
       select (jsonb_populate_record(deposit, jsonb_build_object('id', 'dep_many_' || n, 'tx_hash', '0x' || n))).*
         from deposit cross join generate_series(1, 2000) n where deposit.id = $1`,
      [original],
    );
    await query(scene.db.owner, 'analyze deposit');
    const { scans } = await readByGenericPlan(scene.database, compiled(markCountedOnHold).text, []);
    expect(scans).toContain('Bitmap Heap Scan on deposit');
    expect(scans).not.toContain('Seq Scan on deposit');
  });

  it('fails no intent by dust, and tries again [K-151]', async () => {
    const intent = await scene.anIntent({ status: 'processing' });
    await aDeposit(scene.database, intent, { amount: 1n, status: 'confirmed' });
    const ended = query(scene.database, END, [intent.id, 'failed', '1', 0]);
    await expect(ended).rejects.toMatchObject({ code: '40001', message: expect.stringContaining('dust') });
  });
});

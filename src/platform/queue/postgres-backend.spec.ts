import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { CuttingProxy } from '../../../test/support/cutting-proxy.js';
import { createDatabase, migratedTemplate, type OwnedDatabase } from '../../../test/support/database-url.js';
import { QueueRig } from '../../../test/support/queue-rig.js';
import { StoppedClock } from '../../../test/support/stopped-clock.js';
import { waitFor } from '../processes.js';
import type { QueueLocation } from './open-queue-backend.js';

let database: OwnedDatabase;
let location: QueueLocation;
const rigs: QueueRig[] = [];

const open = async (): Promise<QueueRig> => {
  const rig = await QueueRig.open(location);
  rigs.push(rig);
  return rig;
};

beforeEach(async () => {
  database = await createDatabase(migratedTemplate());
  location = { databaseUrl: database.url, redisUrl: null };
});
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
  await database.drop();
});

async function query<Row>(text: string): Promise<Row[]> {
  const client = new Client({ connectionString: database.ownerUrl });
  await client.connect();
  try {
    return (await client.query<Row & object>(text)).rows;
  } finally {
    await client.end();
  }
}

const cutConnections = (): Promise<unknown> =>
  query(`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`);

/** Wakes a job again and again until something has happened. */
const wakeUntil = (rig: QueueRig, isDone: () => boolean): Promise<true | null> =>
  waitFor(() => (isDone() ? true : (rig.queue.wake('events.relay', {}), null)), 30_000);

it('accepts many wakes at once from a role that cannot create tables, not even temporary ones', async () => {
  const sender = await open();
  sender.queue.wakeMany('intents.settle', [{ intentIds: ['pi_1'] }, { intentIds: ['pi_2'] }]);
  await sender.queue.close();
  expect(sender.log.named('The queue did not accept jobs. A recurring job will pick up the work.')).toEqual([]);
  expect(await query(`select count(*)::int as waiting from bullmq.job`)).toEqual([{ waiting: 2 }]);
});

it('accepts a wake of a hundred things', async () => {
  const sender = await open();
  sender.queue.wake('intents.settle', {
    intentIds: Array.from({ length: 100 }, () => `pi_${randomBytes(13).toString('hex')}`),
  });
  await sender.queue.close();
  expect(sender.log.named('The queue did not accept jobs. A recurring job will pick up the work.')).toEqual([]);
  expect(await query(`select count(*)::int as waiting from bullmq.job`)).toEqual([{ waiting: 1 }]);
});

it('leaves nothing behind of finished jobs', async () => {
  const rig = await open();
  let runs = 0;
  await rig.serve({
    'intents.settle': () => {
      runs++;
      return runs % 2 === 0 ? Promise.reject(new Error('poison')) : Promise.resolve();
    },
  });
  rig.queue.wakeMany(
    'intents.settle',
    Array.from({ length: 100 }, (_, i) => ({ intentIds: [`pi_${i}`] })),
  );
  const left = `select (select count(*)::int from bullmq.job) + (select count(*)::int from bullmq.dedup) as left`;
  const empty = async (): Promise<true | null> => {
    const [row] = await query<{ left: number }>(left);
    return runs === 100 && row?.left === 0 ? true : null;
  };
  expect(await waitFor(empty, 10_000)).toBe(true);
});

it('shares one small pool among all queues and workers of a process', async () => {
  const rig = await open();
  await rig.serve({});
  await rig.serve({}, 3, 'vault');
  const intents = Array.from({ length: 300 }, (_, i) => ({ intentIds: [`pi_${i}`] }));
  for (let i = 0; i < 20; i++) {
    rig.queue.wakeMany('intents.settle', intents);
    rig.queue.wake('wallets.refill', {});
    const [row] = await query<{ count: number }>(
      `select count(*)::int from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
          and backend_type = 'client backend'`,
    );
    expect(row?.count).toBeLessThanOrEqual(6);
  }
});

it('recovers when PostgreSQL cuts every connection [K-144]', async () => {
  const rig = await open();
  let runs = 0;
  await rig.serve({ 'events.relay': () => Promise.resolve(void runs++) });
  expect(await wakeUntil(rig, () => runs > 0)).toBe(true);
  await cutConnections();
  const before = runs;
  expect(await wakeUntil(rig, () => runs > before)).toBe(true);
});

it('survives connections that PostgreSQL cuts as soon as they are ready [K-144]', async () => {
  const proxy = await CuttingProxy.start(location.databaseUrl);
  location = { ...location, databaseUrl: proxy.url };
  const rig = await open();
  let runs = 0;
  await rig.serve({ 'events.relay': () => Promise.resolve(void runs++) });
  proxy.isCutting = true;
  await cutConnections();
  expect(await wakeUntil(rig, () => proxy.cuts >= 40)).toBe(true);
  proxy.isCutting = false;
  const before = runs;
  expect(await wakeUntil(rig, () => runs > before)).toBe(true);
  await rig.close();
  await proxy.stop();
});

it('answers a ping while PostgreSQL does', async () => {
  const rig = await open();
  await rig.backend.ping();
  await rig.close();
  await expect(rig.backend.ping()).rejects.toThrow();
});

it('never throws to its caller, logs an outage once a second, and counts every lost wake', async () => {
  const rig = await open();
  await query(`alter schema bullmq rename to moved`);
  const clock = new StoppedClock();
  for (let i = 0; i < 20; i++) {
    rig.queue.wake('events.relay', {});
    await new Promise((resolve) => setImmediate(resolve));
  }
  await rig.queue.close();
  clock.release();
  const text = await rig.metrics.registry.getSingleMetricAsString('coffer_queue_wake_errors_total');
  expect(Number(/\{queue="worker"\} (\d+)/.exec(text)?.[1])).toBeGreaterThan(0);
  expect(rig.log.named('The queue did not accept jobs. A recurring job will pick up the work.')).toHaveLength(1);
});

it('refuses to start without the database', async () => {
  location = { databaseUrl: 'postgres://postgres@127.0.0.1:1/none', redisUrl: null };
  await expect(open()).rejects.toThrow('ECONNREFUSED');
});

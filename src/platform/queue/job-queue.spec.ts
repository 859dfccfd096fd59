import { createDatabase, migratedTemplate } from '../../../test/support/database-url.js';
import { eventually } from '../../../test/support/eventually.js';
import { gate, type Handlers, QueueRig } from '../../../test/support/queue-rig.js';
import { describeOnRedis, RedisServer } from '../../../test/support/redis-server.js';
import { waitFor } from '../processes.js';
import type { Jobs } from './jobs.js';
import type { QueueLocation } from './open-queue-backend.js';

const PATIENCE_MS = 10_000;
const ALL_SEEN_WITHIN_MS = 60_000;

/** A server for one test. */
interface Server {
  readonly location: QueueLocation;
  remove(): Promise<void>;
}

describe('jobs on PostgreSQL', () => {
  behavesLikeAQueue(async () => {
    const database = await createDatabase(migratedTemplate());
    return { location: { databaseUrl: database.url, redisUrl: null }, remove: () => database.drop() };
  });
});

describeOnRedis('jobs on Redis', () => {
  behavesLikeAQueue(async () => {
    const redis = await RedisServer.start();
    const location = { databaseUrl: 'postgres://unused.invalid/', redisUrl: redis.url };
    return { location, remove: () => redis.remove() };
  });
});

function behavesLikeAQueue(start: () => Promise<Server>): void {
  let server: Server;
  const rigs: QueueRig[] = [];
  const open = async (): Promise<QueueRig> => {
    const rig = await QueueRig.open(server.location);
    rigs.push(rig);
    return rig;
  };
  beforeEach(async () => {
    server = await start();
  });
  afterEach(async () => {
    await Promise.all(rigs.splice(0).map((rig) => rig.close()));
    await server.remove();
  });

  /** Serves the queue with concurrency 1, and resolves once all earlier wakes have run. */
  const settledOn = (rig: QueueRig) => {
    const marker = gate();
    const serve = (handlers: Handlers): Promise<void> =>
      rig.serve({ ...handlers, 'sandbox.pay': () => Promise.resolve(marker.open()) }, 1);
    const settled = (): Promise<void> => {
      rig.queue.wake('sandbox.pay', { paymentId: 'last' });
      return marker.passed;
    };
    return { serve, settled };
  };

  it('runs a woken job with its payload', async () => {
    const rig = await open();
    const received = Promise.withResolvers<Jobs['intents.settle']>();
    await rig.serve({ 'intents.settle': (data) => Promise.resolve(received.resolve(data)) });
    rig.queue.wake('intents.settle', { intentIds: ['pi_1'] });
    expect(await received.promise).toEqual({ intentIds: ['pi_1'] });
  });

  it('makes one job of 100 wakes of one key, from any process, while it waits', async () => {
    const [rig, one, other] = [await open(), await open(), await open()];
    for (let i = 0; i < 50; i++) {
      one.queue.wake('events.relay', {});
      other.queue.wake('events.relay', {});
      await Promise.resolve();
    }
    // After the close all wakes are sent: a wake while the job runs would rightly make it run again.
    await Promise.all([one.queue.close(), other.queue.close()]);
    let runs = 0;
    const { serve, settled } = settledOn(rig);
    await serve({ 'events.relay': () => Promise.resolve(void runs++) });
    await settled();
    expect(runs).toBe(1);
  });

  it('runs a job once more, and never twice at a time, when it is woken while it runs', async () => {
    const [rig, other] = [await open(), await open()];
    const [entered, held, again] = [gate(), gate(), gate()];
    let [runs, beside] = [0, 0];
    const handler = async (): Promise<void> => {
      runs++;
      if (beside++ > 0) throw new Error('two at a time');
      if (runs === 1) {
        entered.open();
        await held.passed;
      } else again.open();
      beside--;
    };
    await rig.serve({ 'events.relay': handler });
    await other.serve({ 'events.relay': handler });
    rig.queue.wake('events.relay', {});
    await entered.passed;
    for (let i = 0; i < 50; i++) {
      rig.queue.wake('events.relay', {});
      await Promise.resolve();
    }
    await rig.queue.close();
    held.open();
    await again.passed;
    await Promise.all([rig.stopWorkers(), other.stopWorkers()]);
    expect(runs).toBe(2);
    expect([...rig.log.named('A job failed.'), ...other.log.named('A job failed.')]).toEqual([]);
  });

  it('loses no wake that arrives at the moment when the running job ends', async () => {
    const rig = await open();
    let [version, seen] = [0, 0];
    let noticed = gate();
    // A job without a pace: a paced wake would mostly be sent long after the run before has ended.
    await rig.serve({
      'webhooks.deliver': () => {
        seen = version;
        noticed.open();
        return Promise.resolve();
      },
    });
    // The handler reports its start, so that each next wake arrives while the job runs, ends or has ended.
    const wakeOneByOne = async (): Promise<void> => {
      for (version = 1; version <= 300; version++) {
        noticed = gate();
        rig.queue.wake('webhooks.deliver', {});
        while (seen !== version) {
          await noticed.passed;
          noticed = gate();
        }
      }
    };
    const allSeen = eventually(
      () => seen,
      (last) => last === 300,
      ALL_SEEN_WITHIN_MS,
    );
    await Promise.all([wakeOneByOne(), allSeen]);
  });

  it('wakes 1000 things in one call', async () => {
    const rig = await open();
    const handled = new Set<string | undefined>();
    await rig.serve({ 'intents.settle': ({ intentIds: [id] }) => Promise.resolve(void handled.add(id)) });
    rig.queue.wakeMany(
      'intents.settle',
      Array.from({ length: 1000 }, (_, i) => ({ intentIds: [`pi_${i}`] })),
    );
    expect(await waitFor(() => (handled.size === 1000 ? true : null), PATIENCE_MS)).toBe(true);
  });

  it('sends jobs of the vault only to its queue', async () => {
    const rig = await open();
    const { serve, settled } = settledOn(rig);
    await serve({});
    rig.queue.wake('wallets.refill', {});
    await settled();
    const refilled = gate();
    await rig.serve({ 'wallets.refill': () => Promise.resolve(refilled.open()) }, 1, 'vault');
    await refilled.passed;
  });

  it('logs a job that throws with its name and payload, while others continue [K-152]', async () => {
    const rig = await open();
    const { serve, settled } = settledOn(rig);
    await serve({ 'intents.settle': () => Promise.reject(new Error('poison')) });
    rig.queue.wake('intents.settle', { intentIds: ['pi_bad'] });
    await settled();
    expect(rig.log.named('A job failed.')).toEqual([
      expect.objectContaining({
        level: 'error',
        job: 'intents.settle',
        data: { intentIds: ['pi_bad'] },
        err: expect.objectContaining({ message: 'poison' }),
      }),
    ]);
  });

  it('waits for running jobs when it stops, and starts no new ones [K-149]', async () => {
    const rig = await open();
    const [entered, held] = [gate(), gate()];
    const done: string[] = [];
    const settle = async ({ intentIds }: Jobs['intents.settle']): Promise<void> => {
      entered.open();
      await held.passed;
      done.push(...intentIds);
    };
    await rig.serve({ 'intents.settle': settle }, 1);
    rig.queue.wakeMany('intents.settle', [{ intentIds: ['pi_1'] }, { intentIds: ['pi_2'] }]);
    await entered.passed;
    const closed = rig.stopWorkers();
    held.open();
    await closed;
    expect(done).toEqual(['pi_1']);
  });

  it('stops although a job does not end, logs the job, and returns it to another process', async () => {
    const [rig, other] = [await open(), await open()];
    const [entered, handed] = [gate(), gate()];
    await rig.serve({
      'intents.settle': () => {
        entered.open();
        return new Promise<void>(() => undefined);
      },
    });
    rig.queue.wake('intents.settle', { intentIds: ['pi_stuck'] });
    await entered.passed;
    await rig.stopWorkers(50);
    expect(rig.log.lines.at(-1)).toMatchObject({
      level: 'warn',
      jobs: [{ name: 'intents.settle', data: { intentIds: ['pi_stuck'] } }],
    });
    await other.serve({ 'intents.settle': () => Promise.resolve(handed.open()) });
    const startedMs = performance.now();
    await handed.passed;
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });

  it('gives the job of a killed process to another [K-143]', async () => {
    const [dead, other] = [await open(), await open()];
    const [entered, handed] = [gate(), gate()];
    const stuck = (): Promise<void> => {
      entered.open();
      return new Promise<void>(() => undefined);
    };
    await dead.serveWithBriefLocks({ 'intents.settle': stuck });
    dead.queue.wake('intents.settle', { intentIds: ['pi_1'] });
    await entered.passed;
    // Its connections are cut, so it cannot release the job.
    await dead.backend.close();
    await other.serveWithBriefLocks({ 'intents.settle': () => Promise.resolve(handed.open()) });
    await handed.passed;
  });
}

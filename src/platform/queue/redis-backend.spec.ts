import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { gate, QueueRig } from '../../../test/support/queue-rig.js';
import { describeOnRedis, RedisServer } from '../../../test/support/redis-server.js';
import { waitFor } from '../processes.js';

const at = (redisUrl: string): Promise<QueueRig> =>
  QueueRig.open({ databaseUrl: 'postgres://unused.invalid/', redisUrl });

describeOnRedis('Redis as the queue', () => {
  let server: RedisServer;
  let rig: QueueRig;
  beforeEach(async () => {
    server = await RedisServer.start();
    rig = await at(server.url);
  });
  afterEach(async () => {
    await rig.close();
    await server.remove();
  });

  /** Wakes repeatedly, as a recurring job does, until the handler has run. */
  const sweepUntil = async (hasRun: () => boolean): Promise<void> => {
    const sweep = (): true | null => (hasRun() ? true : (rig.queue.wake('events.relay', {}), null));
    expect(await waitFor(sweep, 15_000)).toBe(true);
  };

  const lossIsLogged = async (): Promise<void> => {
    const logged = (): unknown =>
      rig.log.named('The queue did not accept jobs. A recurring job will pick up the work.')[0] ?? null;
    expect(await waitFor(logged, 5_000)).not.toBeNull();
  };

  it('stops in time although Redis is down', async () => {
    await rig.serve({});
    await server.kill();
    rig.queue.wake('events.relay', {});
    await lossIsLogged();
    const startedMs = performance.now();
    await rig.close();
    expect(performance.now() - startedMs).toBeLessThan(4_000);
  });

  it('stops in time although Redis freezes while a job runs', async () => {
    const [started, going] = [gate(), gate()];
    await rig.serve({ 'events.relay': () => (started.open(), going.passed) });
    rig.queue.wake('events.relay', {});
    await started.passed;
    server.freeze();
    const startedMs = performance.now();
    await rig.close();
    expect(performance.now() - startedMs).toBeLessThan(12_000);
    going.open();
  });

  it('answers a ping while Redis does, and again when it is back', async () => {
    await rig.backend.ping();
    await server.kill();
    await expect(rig.backend.ping()).rejects.toThrow();
    await server.boot();
    const answered = (): Promise<true | null> =>
      rig.backend.ping().then(
        () => true,
        () => null,
      );
    expect(await waitFor(answered, 5_000)).toBe(true);
  });

  it('recovers after Redis was killed and restarted empty [K-145]', async () => {
    let runs = 0;
    await rig.serve({ 'events.relay': () => Promise.resolve(void runs++) });
    await sweepUntil(() => runs > 0);
    await server.kill();
    rig.queue.wake('events.relay', {});
    await lossIsLogged();
    await server.boot();
    const before = runs;
    await sweepUntil(() => runs > before);
  });

  it.each<[what: string, change: (isIll: boolean) => Promise<void>]>([
    ['is full', (isIll) => server.fill(isIll)],
    ['has become a read-only replica', (isIll) => server.demote(isIll)],
  ])('runs wakes locally while Redis %s, reports that it is down, and uses it again [K-145]', async (_what, change) => {
    const ran: string[] = [];
    await rig.serve({ 'intents.settle': ({ intentIds }) => Promise.resolve(void ran.push(...intentIds)) });
    await change(true);
    await expect(rig.backend.ping()).rejects.toThrow(/OOM|READONLY/);
    rig.queue.wakeMany('intents.settle', [{ intentIds: ['pi_1'] }, { intentIds: ['pi_2'] }]);
    expect(await waitFor(() => (ran.length === 2 ? true : null), 5_000)).toBe(true);
    await lossIsLogged();
    await change(false);
    const answers = (): Promise<true | null> =>
      rig.backend.ping().then(
        () => true as const,
        () => null,
      );
    expect(await waitFor(answers, 5_000)).toBe(true);
    const lost = rig.log.named('The queue did not accept jobs. A recurring job will pick up the work.').length;
    rig.queue.wake('intents.settle', { intentIds: ['pi_3'] });
    expect(await waitFor(() => (ran.includes('pi_3') ? true : null), 10_000)).toBe(true);
    expect(rig.log.named('The queue did not accept jobs. A recurring job will pick up the work.')).toHaveLength(lost);
  });

  it('recovers after FLUSHALL, which removes the running job and the waiting ones [K-145]', async () => {
    const [entered, held] = [gate(), gate()];
    let runs = 0;
    await rig.serve({
      'events.relay': async () => {
        entered.open();
        await held.passed;
        runs++;
      },
    });
    rig.queue.wake('events.relay', {});
    await entered.passed;
    await server.flush();
    held.open();
    await sweepUntil(() => runs > 1);
  });
});

describe('a start with REDIS_URL', () => {
  it('fails at once, and says what to do, when the port is closed', async () => {
    await expect(at('redis://user:hush@127.0.0.1:1')).rejects.toThrow(
      /^Redis does not answer at 127\.0\.0\.1:1 \(REDIS_URL\): connect ECONNREFUSED 127\.0\.0\.1:1\. Start it/,
    );
  });

  it('fails after 3 s when the server never answers', async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    if (address === null || typeof address === 'string') throw new Error('No port was given.');
    const startedMs = performance.now();
    await expect(at(`redis://127.0.0.1:${address.port}`)).rejects.toThrow('Redis does not answer');
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
});

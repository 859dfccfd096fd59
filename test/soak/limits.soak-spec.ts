import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setInterval as every } from 'node:timers/promises';
import { eventually } from '../support/eventually.js';
import { Fleet } from '../support/fleet.js';
import { describeOnRedis } from '../support/redis-server.js';
import { SeededRandom } from '../support/seeded-random.js';
import { timed } from './measured.js';
import { useOf } from './process-use.js';
import { MerchantReceiver } from './merchant-receiver.js';

const ORDER = { amount_cents: 2500, currency: 'USD', network: 'bnb', token: 'USDC' };
/** On a large machine V8 collects garbage rarely; with this heap it collects often, so that growth means a leak. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=96 --max-semi-space-size=2' };
const SLOW_CLIENTS = 300;
const IDLE_MAX = 40;
/** Headers have 10 s, open connections are checked every second; the rest is for a loaded machine. */
const HUNG_UP_WITHIN_MS = 20_000;

describeOnRedis('processes under use and abuse', () => {
  let fleet: Fleet;
  let receiver: MerchantReceiver;
  let endpointId: string;
  beforeAll(async () => {
    const counts = { worker: 1, listener: 1 };
    [fleet, receiver] = await Promise.all([
      Fleet.start({ counts, env: SMALL_HEAP }),
      MerchantReceiver.listen(new SeededRandom(1)),
    ]);
    endpointId = await receiver.register(fleet.api());
  }, 120_000);
  afterAll(async () => {
    await fleet.stop();
    await receiver.close();
  });

  const send = (api: number, method: string, path: string, body?: object, headers = {}): Promise<number> =>
    fetch(fleet.one('api', api).url + path, {
      method,
      headers: {
        Authorization: `Bearer ${fleet.account.apiKey}`,
        ...(method === 'POST' && { 'Idempotency-Key': randomUUID(), 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).then(async (answer) => {
      await answer.text();
      return answer.status;
    });

  /** Makes good requests, bad ones, ones that are aborted, and work for the worker. */
  async function useAll(rounds: number): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      await Promise.all([
        send(0, 'POST', '/v1/payment-intents', ORDER),
        send(0, 'POST', `/v1/webhook-endpoints/${endpointId}/test`),
        send(0, 'GET', '/v1/payment-intents?limit=20'),
        send(0, 'GET', '/v1/payment-intents/pi_none'),
        send(0, 'POST', '/v1/payment-intents', { amount_cents: -1 }),
        send(0, 'GET', '/v1/events', undefined, { Authorization: 'Bearer none' }),
        send(0, 'POST', '/v1/payment-intents', ORDER, { 'Content-Type': 'text/plain' }),
        fetch(`${fleet.one('api').url}/openapi.json`, { signal: AbortSignal.timeout(1) }).catch(() => undefined),
      ]);
    }
  }

  it('hold no more memory and no more handles after 2,400 further requests than after the first [K-150]', async () => {
    const watched = ['api', 'worker', 'listener', 'vault'] as const;
    await useAll(300);
    const before = watched.map((kind) => useOf(fleet.one(kind).pid));
    await useAll(300);
    // Unused connections are closed some seconds later.
    await eventually(() => {
      const after = watched.map((kind) => useOf(fleet.one(kind).pid));
      after.forEach((use, place) => expect(use.handles).toBeLessThanOrEqual((before[place]?.handles ?? 0) + 4));
      return true;
    }, HUNG_UP_WITHIN_MS);
    const grown = watched.map(
      (kind, place) => useOf(fleet.one(kind).pid).residentMb - (before[place]?.residentMb ?? 0),
    );
    process.stdout.write(
      `MEASURED growth in MiB: ${watched.map((kind, n) => `${kind} ${grown[n]?.toFixed(1)}`).join(', ')}\n`,
    );
    for (const growth of grown) expect(growth).toBeLessThan(32);
  }, 120_000);

  it('answer all other clients while 300 send their headers byte by byte, and disconnect those in time [N-173]', async () => {
    const { url, pid } = fleet.one('api');
    const handles = useOf(pid).handles;
    const clients = Array.from({ length: SLOW_CLIENTS }, () => connect(Number(new URL(url).port), '127.0.0.1'));
    const gone = Promise.all(clients.map((client) => new Promise((resolve) => client.once('close', resolve))));
    const done = new AbortController();
    const dripping = drip(clients, done.signal);
    // Earlier idle connections may have been closed meanwhile.
    await eventually(
      () => useOf(pid).handles,
      (seen) => seen >= handles + SLOW_CLIENTS - IDLE_MAX,
    );
    for (let n = 0; n < 20; n++) expect(await send(0, 'POST', '/v1/payment-intents', ORDER)).toBe(201);
    const took = await timed(() => gone);
    done.abort();
    await dripping;
    expect(took).toBeLessThan(HUNG_UP_WITHIN_MS);
    await eventually(
      () => useOf(pid).handles,
      (seen) => seen <= handles + 10,
    );
  }, 60_000);

  it('share one bucket of requests per key: a burst over both is admitted once', async () => {
    const limit = { RATE_LIMIT_PER_SECOND: '10', RATE_LIMIT_BURST: '100' };
    for (const member of fleet.of('api')) {
      await member.end('SIGTERM');
      await member.start(limit);
    }
    let statuses: number[] = [];
    const took = await timed(async () => {
      const burst = Array.from({ length: 240 }, (_, n) => send(n % 2, 'GET', '/v1/networks'));
      statuses = await Promise.all(burst);
    });
    const admitted = statuses.filter((status) => status === 200).length;
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    // A process returns leased but unspent tokens with its next request, so some of the last tokens may be missing.
    expect(admitted).toBeGreaterThanOrEqual(90);
    expect(admitted).toBeLessThanOrEqual(100 + Math.ceil(took / 100));
  });
});

/** Sends its headers byte by byte (slow loris), until it is disconnected. */
async function drip(clients: readonly Socket[], signal: AbortSignal): Promise<void> {
  for (const client of clients) {
    client.on('error', () => client.destroy());
    client.resume();
    client.write('GET /v1/networks HTTP/1.1\r\nHost: x\r\nX-Slow: ');
  }
  try {
    for await (const _ of every(1_000, undefined, { signal })) {
      for (const client of clients) if (client.writable) client.write('x');
    }
  } catch {
    // Aborted: every client has been disconnected.
  }
}

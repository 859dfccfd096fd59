import { findFreePort } from '../../src/platform/processes.js';
import type { ApiAnswer } from '../support/api-client.js';
import { newKey, startWorld, type World } from '../support/world.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { createIntent, getIntent, ORDER } from './intents.js';
import { refusalOf } from './refusal.js';
import { sendRaw } from './sample-app.js';

const INTENTS = '/v1/payment-intents';
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

let world: World;
let metricsPort: number;
beforeAll(async () => {
  metricsPort = await findFreePort(0);
  world = await startWorld({ networks: ['polygon', 'bnb'], env: { METRICS_PORT: String(metricsPort) } });
});
afterAll(() => world.stop());

const create = (body: unknown, idempotencyKey: string): Promise<ApiAnswer> =>
  world.api.post(INTENTS, body, { idempotencyKey });

describe('a path or a method that does not exist', () => {
  it.each(['/', '/v1', '/v1/nothing', '/v2/payment-intents', '/V1/payment-intents', `${INTENTS}/`])(
    'GET %s is 404 with the error object [A-18]',
    async (path) => {
      expect(refusalOf(await world.api.get(path))).toEqual({ status: 404, code: 'not_found' });
    },
  );

  it.each([
    ['DELETE', INTENTS, 'GET, HEAD, POST'],
    ['PUT', `${INTENTS}/pi_1`, 'GET, HEAD'],
    ['GET', `${INTENTS}/pi_1/confirm`, 'POST'],
    ['OPTIONS', `${INTENTS}/pi_1/generate-address`, 'POST'],
    ['PATCH', '/v1/events', 'GET, HEAD'],
  ])('%s %s is 405 with Allow [A-16]', async (method, path, allow) => {
    const answer = await world.api.call(method, path);
    expect(refusalOf(answer)).toEqual({ status: 405, code: 'method_not_allowed' });
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it.each(['..%2f..', '%2e%2e%2f', 'x'.repeat(5_000), 'evt_01jd2v8w3q4r5s6t7v8w9x0y1z', "'%20or%201=1", 'a%00b'])(
    'an intent with a strange id (%#) is 404 [A-15]',
    async (id) => {
      expect(refusalOf(await world.api.get(`${INTENTS}/${id}`))).toEqual({ status: 404, code: 'not_found' });
    },
  );

  it('bytes that are not HTTP get the error object too [A-18]', async () => {
    expect(await sendRaw(world.service.port, 'BREW /v1 HTTP/1.1\r\n\r\n')).toMatch(
      /^HTTP\/1.1 400 [^]*invalid_request/,
    );
  });
});

describe('every answer', () => {
  it('has its own request id, also when it is a refusal', async () => {
    const paths = [INTENTS, '/v1/nothing', '/health/live', '/docs', '/openapi.json', INTENTS];
    const answers = await Promise.all(paths.map((path) => fetch(world.url + path)));
    const ids = answers.map(({ headers }) => headers.get('request-id') ?? '');
    expect(ids.every((id) => /^req_[0-9a-hjkmnp-tv-z]{26}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(paths.length);
  });

  it('accepts a traceparent, valid or not', async () => {
    for (const traceparent of [TRACE, 'nonsense']) {
      expect((await world.api.get(INTENTS, { headers: { traceparent } })).status).toBe(200);
    }
  });

  it('links to the explanation of its error', async () => {
    const answer = await world.api.get<{ error: { doc_url: string } }>('/v1/nothing');
    const { doc_url: url } = answer.body.error;
    expect(url).toBe(`${world.url}/docs/errors#not_found`);
    const page = await fetch(url);
    expect([page.status, (await page.text()).includes('id="not_found"')]).toEqual([200, true]);
  });
});

describe('a POST with an idempotency key', () => {
  it('repeated: the same bytes, marked as replayed, whatever has happened since [spec 4 Idempotency-Key] [C-37]', async () => {
    const key = newKey();
    const first = await create(ORDER, key);
    const { id } = JSON.parse(first.text);
    await world.api.post(`${INTENTS}/${id}/confirm`);
    const again = await create(ORDER, `"${key}"`);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('original-request-id')).toBe(first.headers.get('request-id'));
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect((await getIntent(world.api, id)).status).toBe('processing');
  });

  it('with a different body, even if only spaces differ: 422 idempotency_key_reused [C-30] [C-39]', async () => {
    const key = newKey();
    await create(ORDER, key);
    for (const body of [{ ...ORDER, amount_cents: 1 }, JSON.stringify(ORDER, null, 1)]) {
      expect(refusalOf(await create(body, key))).toEqual({ status: 422, code: 'idempotency_key_reused' });
    }
  });

  it('that was refused may be sent again, corrected [C-35]', async () => {
    const key = newKey();
    expect(refusalOf(await create({ ...ORDER, amount_cents: 0 }, key))).toMatchObject({ status: 400 });
    expect(refusalOf(await create({ ...ORDER, network: 'tron' }, key))).toMatchObject({ status: 400 });
    expect((await create(ORDER, key)).status).toBe(201);
  });

  it.each(['k'.repeat(256), 'a, b', '""', '"open'])(
    'a bad key (%#): 400 invalid_idempotency_key [C-32]',
    async (key) => {
      expect(refusalOf(await create(ORDER, key))).toEqual({ status: 400, code: 'invalid_idempotency_key' });
    },
  );

  it('50 at once: one intent [spec 4 Idempotency-Key] [C-29]', async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 50 }, () => create({ ...ORDER, reference: key }, key)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const rows = await query(world.database, `select from payment_intent where reference = $1`, [key]);
    expect(rows).toHaveLength(1);
  });
});

describe('the status of the service', () => {
  it('lists its networks and tokens with their decimals and status', async () => {
    const { body } = await world.api.get<{ data: { network: string }[] }>('/v1/networks');
    const offer = (coin: string, decimals: number) => {
      const contract = expect.stringMatching(/^0x[0-9a-fA-F]{40}$/);
      return [
        { token: coin, contract: null, decimals: 18, minor_unit_exponent: 8, enabled: true },
        { token: 'USDC', contract, decimals, minor_unit_exponent: 2, enabled: true },
        { token: 'USDT', contract, decimals, minor_unit_exponent: 2, enabled: true },
      ];
    };
    const { chainId } = world.chain('polygon').chain;
    expect(body.data.toSorted((a, b) => b.network.localeCompare(a.network))).toMatchObject([
      { network: 'polygon', object: 'network', chain_id: String(chainId), status: 'ok', tokens: offer('POL', 6) },
      {
        network: 'bnb',
        confirmations: 3,
        status: 'ok',
        tokens: offer('BNB', 18),
        listener: { lag_seconds: expect.any(Number) },
      },
    ]);
  });

  it('is alive, and ready with each chain listed', async () => {
    const live = await fetch(`${world.url}/health/live`);
    expect([live.status, await live.json()]).toEqual([200, { status: 'ok' }]);
    const ready = await fetch(`${world.url}/health/ready`);
    expect([ready.status, await ready.json()]).toMatchObject([
      200,
      {
        status: 'ready',
        dependencies: { database: { status: 'ok' } },
        chains: [{ status: 'ok' }, { status: 'ok' }],
        can_collect: true,
      },
    ]);
  });

  it('is measured by route, never by URL, on a port of its own', async () => {
    const { id } = await createIntent(world.api);
    await getIntent(world.api, id);
    const text = await eventually(
      async () => {
        const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
        return metrics;
      },
      (metrics) => metrics.includes('route="/v1/payment-intents/:id"'),
    );
    expect(text).toContain(
      'coffer_http_request_duration_seconds_count{method="POST",route="/v1/payment-intents",status="201"}',
    );
    expect(text).not.toContain(id);
    expect((await fetch(`${world.url}/metrics`)).status).toBe(404);
  });
});

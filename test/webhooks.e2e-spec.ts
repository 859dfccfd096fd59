import Stripe from 'stripe';
import { ApiKeysService } from '../src/auth/api-keys.service.js';
import { MerchantsService } from '../src/auth/merchants.service.js';
import { type Receiver, startReceiver } from './outbound/receiver-zoo.js';
import { refusalOf } from './http/refusal.js';
import { addKey } from './http/tenants.js';
import { ApiClient } from './support/api-client.js';
import { runCommand } from './support/cli-run.js';
import { eventually } from './support/eventually.js';
import { query } from './support/sql.js';
import { startWorld, type World } from './support/world.js';
import { answering, headerOf } from './webhooks/webhook-world.js';

interface Endpoint {
  id: string;
  secret: string;
  url: string;
  event_types: string[];
  enabled: boolean;
  previous_secret_expires_at: string | null;
}
interface ErrorAnswer {
  error: { code: string; param?: string };
}
interface Delivery {
  id: string;
  status: string;
  event_id: string;
  endpoint_id: string;
  series: number;
  superseded: boolean;
  last_response_status: number | null;
  last_fault: string | null;
  next_attempt_at: string | null;
}
interface DeliveryWithAttempts extends Delivery {
  attempts: {
    number: number;
    request_headers: string[];
    response_status: number | null;
    response_body: string | null;
    fault: string | null;
    fault_message: string | null;
  }[];
}
interface DeliveryList {
  data: Delivery[];
  has_more: boolean;
  next_cursor: string | null;
}
interface EventList {
  data: { id: string; sequence: number }[];
  has_more: boolean;
  next_cursor: string | null;
}

let world: World;
let receiver: Receiver;
let url: string;
beforeAll(async () => {
  world = await startWorld({ env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true', WEBHOOK_BACKOFF_BASE_MS: '20' } });
});
afterAll(() => world.stop());
beforeEach(async () => {
  receiver = await startReceiver(answering(500, 200));
  url = `http://127.0.0.1:${receiver.port}/hooks`;
});
afterEach(() => receiver.close());

/** Returns a key of another merchant in the same environment. */
async function strangersKey(): Promise<string> {
  const { key } = await world.database.transaction(async (tx) => {
    const { id: merchantId } = await world.service.get(MerchantsService).createMerchant(tx, { name: 'Stranger' });
    return world.service.get(ApiKeysService).createKey(tx, { merchantId, environment: 'sandbox' });
  });
  return key;
}

const path = '/v1/webhook-endpoints';
const create = (body: object) => world.api.post<Endpoint>(path, body);
const verified = (request: Receiver['requests'][number] | undefined, secret: string): unknown =>
  Stripe.webhooks.constructEvent(request?.body ?? '', headerOf(request, 'x-webhook-signature'), secret);

describe('webhook endpoints over HTTP', () => {
  it('send a test event that is signed, retried with a fresh signature, and acknowledged [spec 6.2] [spec 6.3]', async () => {
    const { status, body: endpoint } = await create({ url });
    expect(status).toBe(201);
    expect(endpoint.event_types).toEqual(['payment_intent.completed', 'withdrawal.completed']);
    const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const test = await world.api.post<{ event_id: string }>(`${path}/${endpoint.id}/test`, undefined, {
      headers: { traceparent: trace },
    });
    expect(test.status).toBe(202);
    await eventually(
      () => receiver.requests.length,
      (seen) => seen === 2,
    );
    const [first, retry] = receiver.requests;
    for (const request of [first, retry]) {
      expect(verified(request, endpoint.secret)).toMatchObject({ id: test.body.event_id, type: 'ping' });
      expect(headerOf(request, 'traceparent')).toBe(trace);
    }
    expect(retry?.body).toEqual(first?.body);
    const event = await world.api.get(`/v1/events/${test.body.event_id}`);
    expect(event.text).toBe(first?.body.toString());
  });

  it('return the secret at creation and rotation only, also when the answer is replayed', async () => {
    const key = 'create-endpoint-1';
    const first = await world.api.post<Endpoint>(path, { url }, { idempotencyKey: key });
    const again = await world.api.post<Endpoint>(path, { url }, { idempotencyKey: key });
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const [kept] = await query<{ body: Buffer }>(
      world.database,
      `select body from idempotency_record where idempotency_key = $1`,
      [key],
    );
    expect(kept?.body.includes(first.body.secret)).toBe(false);
    const one = `${path}/${first.body.id}`;
    const rotated = await world.api.post<Endpoint>(`${one}/rotate-secret`, { overlap_seconds: 3600 });
    expect(rotated.body.secret).not.toBe(first.body.secret);
    expect(rotated.body.previous_secret_expires_at).not.toBeNull();
    const ended = await world.api.post<Endpoint>(`${one}/end-overlap`);
    expect(ended.body.previous_secret_expires_at).toBeNull();
    for (const answer of [ended, await world.api.get(one), await world.api.get(path)]) {
      expect(answer.text).not.toContain('whsec_');
    }
  });

  it('are changed, listed and deleted', async () => {
    const { body: endpoint } = await create({ url, event_types: ['*'] });
    const one = `${path}/${endpoint.id}`;
    const changed = await world.api.call<Endpoint>('PATCH', one, { body: { enabled: false, description: 'Off' } });
    expect(changed.body).toMatchObject({ id: endpoint.id, enabled: false, description: 'Off', event_types: ['*'] });
    const nulls = { url: null, description: null, event_types: null, enabled: null };
    const same = await world.api.call<Endpoint>('PATCH', one, { body: nulls });
    expect(same.body).toEqual({ ...changed.body, updated_at: expect.any(String) });
    const refused = await world.api.post<ErrorAnswer>(`${one}/test`);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'invalid_state_transition']);
    const list = await world.api.get<{ data: Endpoint[] }>(`${path}?limit=1`);
    expect(list.body.data.map(({ id }) => id)).toEqual([endpoint.id]);
    const deleted = await world.api.call('DELETE', one);
    expect([deleted.status, deleted.body]).toEqual([
      200,
      { id: endpoint.id, object: 'webhook_endpoint', deleted: true },
    ]);
    expect((await world.api.get(one)).status).toBe(404);
    expect((await world.api.call('DELETE', one)).status).toBe(404);
  });

  it.each([
    ['url', { url: 'ftp://example.com/' }],
    ['url', { url: 'http://169.254.169.254/latest' }],
    ['url', { url: 'https://user:secret@example.com/' }],
    ['url', { url: 'https://example.com:22/' }],
    ['url', {}],
    ['event_types', { url: 'https://example.com/', event_types: [] }],
    ['event_types', { url: 'https://example.com/', event_types: ['*', 'ping'] }],
    ['event_types', { url: 'https://example.com/', event_types: ['ping', 'ping'] }],
    ['event_types.0', { url: 'https://example.com/', event_types: ['payment.done'] }],
    ['secret', { url: 'https://example.com/', secret: 'mine' }],
    ['description', { url: 'https://example.com/', description: 'x'.repeat(256) }],
  ])('refuse a bad %s with its name: %j [J-127] [J-130]', async (param, body) => {
    const answer = await world.api.post<ErrorAnswer>(path, body);
    expect([answer.status, answer.body.error]).toMatchObject([400, { code: 'invalid_request', param }]);
  });

  it('are not found for another merchant, whatever the request says [B-20]', async () => {
    const { body: endpoint } = await create({ url });
    const stranger = new ApiClient(world.url, await strangersKey());
    const one = `${path}/${endpoint.id}`;
    const answers = await Promise.all([
      stranger.get(one),
      stranger.call('PATCH', one, { body: { url: 'http://169.254.169.254/' } }),
      stranger.call('DELETE', one),
      ...['test', 'rotate-secret', 'end-overlap'].map((action) => stranger.post(`${one}/${action}`)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
  });
});

describe('events over HTTP', () => {
  it('are listed newest first, can be caught up in ascending order, and refuse unknown parameters', async () => {
    const { body: endpoint } = await create({ url });
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      ids.push((await world.api.post<{ event_id: string }>(`${path}/${endpoint.id}/test`)).body.event_id);
    }
    const all = await eventually(async () => {
      const { body } = await world.api.get<EventList>('/v1/events?event_type=ping');
      return ids.every((id) => body.data.some((event) => event.id === id)) ? body.data : null;
    });
    const [, second, third] = all;
    expect(all).toEqual(all.toSorted((a, b) => b.sequence - a.sequence));
    const since = await world.api.get<EventList>(`/v1/events?limit=1&after_sequence=${third?.sequence}`);
    expect(since.body).toMatchObject({ has_more: true, next_cursor: second?.id, data: [{ id: second?.id }] });
    for (const filter of ['event_type=nope', 'after_sequence=-1', 'after_sequence=x', 'starting_after=evt_1', 'q=1']) {
      const answer = await world.api.get<ErrorAnswer>(`/v1/events?${filter}`);
      expect([answer.status, answer.body.error.param]).toEqual([400, filter.split('=')[0]]);
    }
    expect((await world.api.get('/v1/events/evt_unknown')).status).toBe(404);
  });
});

describe('deliveries over HTTP', () => {
  const NOT_FOUND = { status: 404, code: 'not_found' };
  const CONFLICT = { status: 409, code: 'invalid_state_transition' };

  const deliveries = async (filter: string): Promise<Delivery[]> =>
    (await world.api.get<DeliveryList>(`/v1/deliveries?${filter}`)).body.data;
  const retry = (id: string, idempotencyKey?: string) =>
    world.api.post<Delivery & ErrorAnswer>(
      `/v1/deliveries/${id}/retry`,
      undefined,
      idempotencyKey === undefined ? {} : { idempotencyKey },
    );
  const recover = (id: string, body: object, idempotencyKey?: string) =>
    world.api.post<{ id: string; status: string } & ErrorAnswer>(
      `${path}/${id}/recover`,
      body,
      idempotencyKey === undefined ? {} : { idempotencyKey },
    );

  /** Adds an endpoint, and returns the delivery of a test event to it once it is in this status. */
  async function tested(status: string, target = url): Promise<{ endpoint: Endpoint; delivery: Delivery }> {
    const { body: endpoint } = await create({ url: target });
    await world.api.post(`${path}/${endpoint.id}/test`);
    const delivery = await eventually(async () => (await deliveries(`endpoint_id=${endpoint.id}&status=${status}`))[0]);
    return { endpoint, delivery };
  }

  /** A receiver that answers with this status until `mend` is called. */
  async function broken(body: Buffer | string = 'no such order'): Promise<{ target: string; mend(): void }> {
    let isMended = false;
    const failing = await startReceiver((_request, response) => {
      response.writeHead(isMended ? 204 : 422, { 'Content-Type': 'text/plain' }).end(isMended ? undefined : body);
    });
    brokenReceivers.push(failing);
    return { target: `http://127.0.0.1:${failing.port}/hooks`, mend: () => void (isMended = true) };
  }
  const brokenReceivers: Receiver[] = [];
  afterAll(() => Promise.all(brokenReceivers.map((one) => one.close())));

  it('a dead letter is found, understood and delivered again by the API alone [spec 6.2]', async () => {
    const { target, mend } = await broken();
    const { endpoint } = await tested('dead_letter', target);

    const [found] = await deliveries('status=dead_letter&limit=1');
    expect(found).toMatchObject({ endpoint_id: endpoint.id, last_response_status: 422, last_fault: null });
    const shown = (await world.api.get<DeliveryWithAttempts>(`/v1/deliveries/${found?.id}`)).body;
    expect(
      shown.attempts.map(({ number, response_status, response_body }) => [number, response_status, response_body]),
    ).toEqual([1, 2, 3, 4, 5, 6].map((number) => [number, 422, 'no such order']));
    const unwell = (await world.api.get(`${path}/${endpoint.id}`)).body;
    expect(unwell).toMatchObject({ dead_letters: 1, last_success_at: null, failing_since: expect.any(String) });

    mend();
    const sent = await retry(found?.id ?? '');
    expect([sent.status, sent.body]).toMatchObject([
      202,
      { series: 2, event_id: found?.event_id, attempt_count: 0, status: 'pending' },
    ]);
    await eventually(
      async () => (await world.api.get(`/v1/deliveries/${sent.body.id}`)).body['status'] === 'delivered',
    );
    expect((await world.api.get(`/v1/deliveries/${found?.id}`)).body).toMatchObject({
      status: 'dead_letter',
      superseded: true,
    });
    const well = (await world.api.get(`${path}/${endpoint.id}`)).body;
    expect(well).toMatchObject({ dead_letters: 0, last_success_at: expect.any(String), failing_since: null });
    expect(refusalOf(await retry(found?.id ?? ''))).toEqual(CONFLICT);
  });

  it('a dead letter is found, understood and delivered again by the CLI alone [spec 6.2]', async () => {
    const { target, mend } = await broken('no such order \u001b[2J');
    const { endpoint } = await tested('dead_letter', target);
    const coffer = (...args: string[]) => runCommand(['deliveries', ...args], { DATABASE_URL: world.databaseUrl });

    const list = await coffer('list', '--status', 'dead_letter', '--endpoint', endpoint.id);
    const [, id = ''] = /^(dlv_\w+) +dead_letter +6 +422 .* ping /m.exec(list.out) ?? [];
    const shown = await coffer('show', id);
    expect(shown.out).toMatch(
      /Attempt 6, .* ms: answered 422\n {2}sent: content-type, .*\n[^]*no such order \uFFFD\[2J/,
    );

    mend();
    expect(await coffer('recover', '--endpoint', endpoint.id, '--since', '2026-01-01')).toMatchObject({
      code: 0,
      err: '',
    });
    const { out } = await eventually(async () => {
      const found = await coffer('list', '--endpoint', endpoint.id, '--status', 'delivered', '--json');
      return found.out === '' ? null : found;
    });
    expect(JSON.parse(out)).toMatchObject({ series: 2, merchant_id: world.merchantId });
    expect((await coffer('retry', id)).err).toMatch(new RegExp(`^${id}: A later series`));
  });

  it('show the names of the headers that were sent, and no value of ours', async () => {
    const { endpoint, delivery } = await tested('delivered');
    const { body, text } = await world.api.get<DeliveryWithAttempts>(`/v1/deliveries/${delivery.id}`);
    const sent = Object.keys(receiver.requests[0]?.headers ?? {}).toSorted();
    expect(body.attempts.map(({ request_headers: names }) => names.toSorted())).toEqual([sent, sent]);
    expect(text).not.toContain(endpoint.secret);
    expect(text).not.toMatch(/v1=/);
  });

  it.each([
    ['NULs', Buffer.from('a\0b'), 'a\uFFFDb'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x41]), '\uFFFD\uFFFDA'],
    ['markup', '<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['more than 16 KiB', 'x'.repeat(40_000), 'x'.repeat(16_384)],
  ])('keep an answer of %s as text', async (_what, answer, kept) => {
    const { target } = await broken(answer);
    const { delivery } = await tested('dead_letter', target);
    const { body } = await world.api.get<DeliveryWithAttempts>(`/v1/deliveries/${delivery.id}`);
    expect(body.attempts.at(-1)?.response_body).toBe(kept);
    expect((await retry(delivery.id)).status).toBe(202);
  });

  it.each([
    ['dns', 'http://nowhere.invalid/'],
    ['refused', 'http://127.0.0.1:1024/'],
    ['tls', ''],
  ])('name the fault %s of an attempt without an answer', async (fault, target) => {
    const { delivery } = await tested('dead_letter', target || url.replace('http:', 'https:'));
    expect(delivery).toMatchObject({ last_fault: fault, last_response_status: null });
    const { body } = await world.api.get<DeliveryWithAttempts>(`/v1/deliveries/${delivery.id}`);
    expect(body.attempts.at(-1)).toMatchObject({ fault, response_body: null, request_headers: [] });
  });

  it('are listed page by page, by endpoint, event, status and time', async () => {
    const { endpoint, delivery } = await tested('delivered');
    const second = (await retry(delivery.id)).body;
    await eventually(async () => (await deliveries(`event_id=${delivery.event_id}&status=delivered`)).length === 2);
    const first = await world.api.get<DeliveryList>(`/v1/deliveries?endpoint_id=${endpoint.id}&limit=1`);
    expect(first.body).toMatchObject({ has_more: true, next_cursor: second.id, data: [{ id: second.id }] });
    const rest = await deliveries(`endpoint_id=${endpoint.id}&limit=1&starting_after=${second.id}`);
    expect(rest.map(({ id }) => id)).toEqual([delivery.id]);
    expect(await deliveries(`endpoint_id=${endpoint.id}&created_gte=2100-01-01`)).toEqual([]);
    expect(await deliveries(`endpoint_id=${endpoint.id}&created_lt=2020-01-01`)).toEqual([]);
    for (const filter of [
      'status=lost',
      'starting_after=dlv_1',
      'created_lt=x',
      'limit=0',
      'q=1',
      'status=held&status=held',
    ]) {
      expect(refusalOf(await world.api.get(`/v1/deliveries?${filter}`))).toMatchObject({
        status: 400,
        param: filter.split('=')[0],
      });
    }
  });

  it('are sent again under one idempotency key once, with the same answer', async () => {
    const { delivery } = await tested('delivered');
    const answers = [await retry(delivery.id, 'retry-1'), await retry(delivery.id, 'retry-1')];
    expect(answers[1]?.text).toBe(answers[0]?.text);
    expect(answers[1]?.headers.get('idempotent-replayed')).toBe('true');
    expect(await deliveries(`event_id=${delivery.event_id}`)).toHaveLength(2);
    const orders = [
      await recover(delivery.endpoint_id, { since: '2026-01-01' }, 'recover-1'),
      await recover(delivery.endpoint_id, { since: '2026-01-01' }, 'recover-1'),
    ];
    expect(orders[0]).toMatchObject({ status: 202, body: { object: 'webhook_recovery', status: 'queued' } });
    expect(orders[1]?.text).toBe(orders[0]?.text);
    const reused = await recover(delivery.endpoint_id, { since: '2026-01-02' }, 'recover-1');
    expect(refusalOf(reused)).toEqual({ status: 422, code: 'idempotency_key_reused' });
  });

  it('are paused for a disabled endpoint, whose recovery is refused, and not sent for a deleted one', async () => {
    const { endpoint, delivery } = await tested('delivered');
    await world.api.call('PATCH', `${path}/${endpoint.id}`, { body: { enabled: false } });
    const held = await retry(delivery.id);
    expect([held.status, held.body]).toMatchObject([202, { status: 'held', series: 2, next_attempt_at: null }]);
    expect((await retry(held.body.id)).body).toMatchObject({ id: held.body.id, status: 'held' });
    expect(refusalOf(await recover(endpoint.id, { since: '2026-01-01' }))).toEqual(CONFLICT);
    await world.api.call('DELETE', `${path}/${endpoint.id}`);
    expect(refusalOf(await retry(held.body.id))).toEqual(CONFLICT);
    expect(refusalOf(await recover(endpoint.id, { since: '2026-01-01' }))).toEqual(NOT_FOUND);
    await eventually(async () => (await deliveries(`endpoint_id=${endpoint.id}&status=cancelled`)).length === 1);
  });

  it.each([
    [{}, 'since'],
    [{ since: 'yesterday' }, 'since'],
    [{ since: 1 }, 'since'],
    [{ since: '2026-01-01', until: '2026-01-02' }, 'until'],
  ])('are recovered by no body such as %j', async (body, param) => {
    const { body: endpoint } = await create({ url });
    expect(refusalOf(await recover(endpoint.id, body))).toMatchObject({ status: 400, param });
  });

  it('are not found for another merchant, read with one scope and sent with another [B-20] [B-27]', async () => {
    const { endpoint, delivery } = await tested('delivered');
    const stranger = new ApiClient(world.url, await strangersKey());
    expect(refusalOf(await stranger.get(`/v1/deliveries/${delivery.id}`))).toEqual(NOT_FOUND);
    expect(refusalOf(await stranger.post(`/v1/deliveries/${delivery.id}/retry`))).toEqual(NOT_FOUND);
    expect(refusalOf(await stranger.post(`${path}/${endpoint.id}/recover`, { since: '2026-01-01' }))).toEqual(
      NOT_FOUND,
    );
    for (const filter of [`endpoint_id=${endpoint.id}`, `event_id=${delivery.event_id}`, '']) {
      expect((await stranger.get<DeliveryList>(`/v1/deliveries?${filter}`)).body.data).toEqual([]);
    }
    const reader = await addKey(world, world.merchantId, 'sandbox', ['read']);
    expect((await reader.get(`/v1/deliveries/${delivery.id}`)).status).toBe(200);
    expect((await reader.post(`/v1/deliveries/${delivery.id}/retry`)).status).toBe(403);
    expect((await reader.post(`${path}/${endpoint.id}/recover`, { since: '2026-01-01' })).status).toBe(403);
    const writer = await addKey(world, world.merchantId, 'sandbox', ['webhooks:write']);
    expect((await writer.get('/v1/deliveries')).status).toBe(403);
  });
});

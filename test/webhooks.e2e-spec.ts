import Stripe from 'stripe';
import { ApiKeysService } from '../src/auth/api-keys.service.js';
import { MerchantsService } from '../src/auth/merchants.service.js';
import { type Receiver, startReceiver } from './outbound/receiver-zoo.js';
import { ApiClient } from './support/api-client.js';
import { eventually } from './support/eventually.js';
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

/** A key of another merchant in the same environment. */
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

  it('give the secret at creation and rotation only, also when the answer is replayed', async () => {
    const key = 'create-endpoint-1';
    const first = await world.api.post<Endpoint>(path, { url }, { idempotencyKey: key });
    const again = await world.api.post<Endpoint>(path, { url }, { idempotencyKey: key });
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const [kept] = await world.database.query<{ body: Buffer }>(
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

  it('are unknown to a stranger, whatever the request says [B-20]', async () => {
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
  it('are listed newest first, can be caught up by sequence, and refuse what they do not know', async () => {
    const { body: endpoint } = await create({ url });
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      ids.push((await world.api.post<{ event_id: string }>(`${path}/${endpoint.id}/test`)).body.event_id);
    }
    const all = await eventually(async () => {
      const { body } = await world.api.get<EventList>('/v1/events?event_type=ping');
      return ids.every((id) => body.data.some((event) => event.id === id)) ? body.data : null;
    });
    const [newest, , third] = all.toSorted((a, b) => b.sequence - a.sequence);
    const since = await world.api.get<EventList>(`/v1/events?limit=1&after_sequence=${third?.sequence}`);
    expect(since.body).toMatchObject({ has_more: true, next_cursor: newest?.id, data: [{ id: newest?.id }] });
    for (const query of ['event_type=nope', 'after_sequence=-1', 'after_sequence=x', 'starting_after=evt_1', 'q=1']) {
      const answer = await world.api.get<ErrorAnswer>(`/v1/events?${query}`);
      expect([answer.status, answer.body.error.param]).toEqual([400, query.split('=')[0]]);
    }
    expect((await world.api.get('/v1/events/evt_unknown')).status).toBe(404);
  });
});

import Stripe from 'stripe';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import type { World } from '../support/world.js';
import { type Endpoint, ENDPOINTS, type ErrorAnswer, WebhookApi } from './webhook-api.js';
import { headerOf, type WebhookReceiver } from './webhook-world.js';

let webhooks: WebhookApi;
let world: World;
let receiver: WebhookReceiver;
beforeAll(async () => {
  webhooks = await WebhookApi.start();
  ({ world } = webhooks);
});
afterAll(() => webhooks.stop());
beforeEach(async () => {
  receiver = await webhooks.receive();
});

const verified = (request: WebhookReceiver['requests'][number] | undefined, secret: string): unknown =>
  Stripe.webhooks.constructEvent(request?.body ?? '', headerOf(request, 'x-webhook-signature'), secret);

describe('webhook endpoints over HTTP', () => {
  it('send a test event that is signed, retried with a fresh signature, and acknowledged [spec 6.2] [spec 6.3]', async () => {
    const { status, body: endpoint } = await webhooks.create({ url: receiver.url });
    expect(status).toBe(201);
    expect(endpoint.event_types).toEqual(['payment_intent.completed', 'withdrawal.completed']);
    const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const test = await world.api.post<{ event_id: string }>(`${ENDPOINTS}/${endpoint.id}/test`, undefined, {
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
    const first = await world.api.post<Endpoint>(ENDPOINTS, { url: receiver.url }, { idempotencyKey: key });
    const again = await world.api.post<Endpoint>(ENDPOINTS, { url: receiver.url }, { idempotencyKey: key });
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const [kept] = await query<{ body: Buffer }>(
      world.database,
      `select body from idempotency_record where idempotency_key = $1`,
      [key],
    );
    expect(kept?.body.includes(first.body.secret)).toBe(false);
    const one = `${ENDPOINTS}/${first.body.id}`;
    const rotated = await world.api.post<Endpoint>(`${one}/rotate-secret`, { overlap_seconds: 3600 });
    expect(rotated.body.secret).not.toBe(first.body.secret);
    expect(rotated.body.previous_secret_expires_at).not.toBeNull();
    const ended = await world.api.post<Endpoint>(`${one}/end-overlap`);
    expect(ended.body.previous_secret_expires_at).toBeNull();
    for (const answer of [ended, await world.api.get(one), await world.api.get(ENDPOINTS)]) {
      expect(answer.text).not.toContain('whsec_');
    }
  });

  it('are changed, listed and deleted', async () => {
    const { body: endpoint } = await webhooks.create({ url: receiver.url, event_types: ['*'] });
    const one = `${ENDPOINTS}/${endpoint.id}`;
    const changed = await world.api.call<Endpoint>('PATCH', one, { body: { enabled: false, description: 'Off' } });
    expect(changed.body).toMatchObject({ id: endpoint.id, enabled: false, description: 'Off', event_types: ['*'] });
    const nulls = { url: null, description: null, event_types: null, enabled: null };
    const same = await world.api.call<Endpoint>('PATCH', one, { body: nulls });
    expect(same.body).toEqual({ ...changed.body, updated_at: expect.any(String) });
    const refused = await world.api.post<ErrorAnswer>(`${one}/test`);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'invalid_state_transition']);
    const list = await world.api.get<{ data: Endpoint[] }>(`${ENDPOINTS}?limit=1`);
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
    const answer = await world.api.post<ErrorAnswer>(ENDPOINTS, body);
    expect([answer.status, answer.body.error]).toMatchObject([400, { code: 'invalid_request', param }]);
  });

  it('are not found for another merchant, whatever the request says [B-20]', async () => {
    const { body: endpoint } = await webhooks.create({ url: receiver.url });
    const stranger = await webhooks.stranger();
    const one = `${ENDPOINTS}/${endpoint.id}`;
    const answers = await Promise.all([
      stranger.get(one),
      stranger.call('PATCH', one, { body: { url: 'http://169.254.169.254/' } }),
      stranger.call('DELETE', one),
      ...['test', 'rotate-secret', 'end-overlap'].map((action) => stranger.post(`${one}/${action}`)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
  });
});

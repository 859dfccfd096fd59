import { refusalOf } from '../http/refusal.js';
import { addKey } from '../http/tenants.js';
import { runCommand } from '../support/cli-run.js';
import { eventually } from '../support/eventually.js';
import type { World } from '../support/world.js';
import { type Delivery, ENDPOINTS, type Page, WebhookApi } from './webhook-api.js';
import type { WebhookReceiver } from './webhook-world.js';

interface DeliveryWithAttempts extends Delivery {
  readonly attempts: {
    readonly number: number;
    readonly request_headers: string[];
    readonly response_status: number | null;
    readonly response_body: string | null;
    readonly fault: string | null;
    readonly fault_message: string | null;
  }[];
}

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

describe('deliveries over HTTP', () => {
  const NOT_FOUND = { status: 404, code: 'not_found' };
  const CONFLICT = { status: 409, code: 'invalid_state_transition' };

  it('a dead letter is found, understood and delivered again by the API alone [spec 6.2]', async () => {
    const { target, mend } = await webhooks.broken();
    const { endpoint } = await webhooks.tested('dead_letter', target);

    const [found] = await webhooks.deliveries('status=dead_letter&limit=1');
    expect(found).toMatchObject({ endpoint_id: endpoint.id, last_response_status: 422, last_fault: null });
    const shown = (await world.api.get<DeliveryWithAttempts>(`/v1/deliveries/${found?.id}`)).body;
    expect(
      shown.attempts.map(({ number, response_status, response_body }) => [number, response_status, response_body]),
    ).toEqual([1, 2, 3, 4, 5, 6].map((number) => [number, 422, 'no such order']));
    const unwell = (await world.api.get(`${ENDPOINTS}/${endpoint.id}`)).body;
    expect(unwell).toMatchObject({ dead_letters: 1, last_success_at: null, failing_since: expect.any(String) });

    mend();
    const sent = await webhooks.retry(found?.id ?? '');
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
    const well = (await world.api.get(`${ENDPOINTS}/${endpoint.id}`)).body;
    expect(well).toMatchObject({ dead_letters: 0, last_success_at: expect.any(String), failing_since: null });
    expect(refusalOf(await webhooks.retry(found?.id ?? ''))).toEqual(CONFLICT);
  });

  it('a dead letter is found, understood and delivered again by the CLI alone [spec 6.2]', async () => {
    const { target, mend } = await webhooks.broken('no such order \u001b[2J');
    const { endpoint } = await webhooks.tested('dead_letter', target);
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
    const { endpoint, delivery } = await webhooks.tested('delivered', receiver.url);
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
    const { target } = await webhooks.broken(answer);
    const { delivery } = await webhooks.tested('dead_letter', target);
    const { body } = await world.api.get<DeliveryWithAttempts>(`/v1/deliveries/${delivery.id}`);
    expect(body.attempts.at(-1)?.response_body).toBe(kept);
    expect((await webhooks.retry(delivery.id)).status).toBe(202);
  });

  it.each([
    ['dns', 'http://nowhere.invalid/'],
    ['refused', 'http://127.0.0.1:1024/'],
    ['tls', ''],
  ])('name the fault %s of an attempt without an answer', async (fault, target) => {
    const { delivery } = await webhooks.tested('dead_letter', target || receiver.url.replace('http:', 'https:'));
    expect(delivery).toMatchObject({ last_fault: fault, last_response_status: null });
    const { body } = await world.api.get<DeliveryWithAttempts>(`/v1/deliveries/${delivery.id}`);
    expect(body.attempts.at(-1)).toMatchObject({ fault, response_body: null, request_headers: [] });
  });

  it('are listed page by page, by endpoint, event, status and time', async () => {
    const { endpoint, delivery } = await webhooks.tested('delivered', receiver.url);
    const second = (await webhooks.retry(delivery.id)).body;
    await eventually(
      async () => (await webhooks.deliveries(`event_id=${delivery.event_id}&status=delivered`)).length === 2,
    );
    const first = await world.api.get<Page<Delivery>>(`/v1/deliveries?endpoint_id=${endpoint.id}&limit=1`);
    expect(first.body).toMatchObject({ has_more: true, next_cursor: second.id, data: [{ id: second.id }] });
    const rest = await webhooks.deliveries(`endpoint_id=${endpoint.id}&limit=1&starting_after=${second.id}`);
    expect(rest.map(({ id }) => id)).toEqual([delivery.id]);
    expect(await webhooks.deliveries(`endpoint_id=${endpoint.id}&created_gte=2100-01-01`)).toEqual([]);
    expect(await webhooks.deliveries(`endpoint_id=${endpoint.id}&created_lt=2020-01-01`)).toEqual([]);
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
    const { delivery } = await webhooks.tested('delivered', receiver.url);
    const answers = [await webhooks.retry(delivery.id, 'retry-1'), await webhooks.retry(delivery.id, 'retry-1')];
    expect(answers[1]?.text).toBe(answers[0]?.text);
    expect(answers[1]?.headers.get('idempotent-replayed')).toBe('true');
    expect(await webhooks.deliveries(`event_id=${delivery.event_id}`)).toHaveLength(2);
    const orders = [
      await webhooks.recover(delivery.endpoint_id, { since: '2026-01-01' }, 'recover-1'),
      await webhooks.recover(delivery.endpoint_id, { since: '2026-01-01' }, 'recover-1'),
    ];
    expect(orders[0]).toMatchObject({ status: 202, body: { object: 'webhook_recovery', status: 'queued' } });
    expect(orders[1]?.text).toBe(orders[0]?.text);
    const reused = await webhooks.recover(delivery.endpoint_id, { since: '2026-01-02' }, 'recover-1');
    expect(refusalOf(reused)).toEqual({ status: 422, code: 'idempotency_key_reused' });
  });

  it('are paused for a disabled endpoint, whose recovery is refused, and not sent for a deleted one', async () => {
    const { endpoint, delivery } = await webhooks.tested('delivered', receiver.url);
    await world.api.call('PATCH', `${ENDPOINTS}/${endpoint.id}`, { body: { enabled: false } });
    const held = await webhooks.retry(delivery.id);
    expect([held.status, held.body]).toMatchObject([202, { status: 'held', series: 2, next_attempt_at: null }]);
    expect((await webhooks.retry(held.body.id)).body).toMatchObject({ id: held.body.id, status: 'held' });
    expect(refusalOf(await webhooks.recover(endpoint.id, { since: '2026-01-01' }))).toEqual(CONFLICT);
    await world.api.call('DELETE', `${ENDPOINTS}/${endpoint.id}`);
    expect(refusalOf(await webhooks.retry(held.body.id))).toEqual(CONFLICT);
    expect(refusalOf(await webhooks.recover(endpoint.id, { since: '2026-01-01' }))).toEqual(NOT_FOUND);
    await eventually(
      async () => (await webhooks.deliveries(`endpoint_id=${endpoint.id}&status=cancelled`)).length === 1,
    );
  });

  it.each([
    [{}, 'since'],
    [{ since: 'yesterday' }, 'since'],
    [{ since: 1 }, 'since'],
    [{ since: '2026-01-01', until: '2026-01-02' }, 'until'],
  ])('are recovered by no body such as %j', async (body, param) => {
    const { body: endpoint } = await webhooks.create({ url: receiver.url });
    expect(refusalOf(await webhooks.recover(endpoint.id, body))).toMatchObject({ status: 400, param });
  });

  it('are not found for another merchant, read with one scope and sent with another [B-20] [B-27]', async () => {
    const { endpoint, delivery } = await webhooks.tested('delivered', receiver.url);
    const stranger = await webhooks.stranger();
    expect(refusalOf(await stranger.get(`/v1/deliveries/${delivery.id}`))).toEqual(NOT_FOUND);
    expect(refusalOf(await stranger.post(`/v1/deliveries/${delivery.id}/retry`))).toEqual(NOT_FOUND);
    expect(refusalOf(await stranger.post(`${ENDPOINTS}/${endpoint.id}/recover`, { since: '2026-01-01' }))).toEqual(
      NOT_FOUND,
    );
    for (const filter of [`endpoint_id=${endpoint.id}`, `event_id=${delivery.event_id}`, '']) {
      expect((await stranger.get<Page<Delivery>>(`/v1/deliveries?${filter}`)).body.data).toEqual([]);
    }
    const reader = await addKey(world, world.merchantId, 'sandbox', ['read']);
    expect((await reader.get(`/v1/deliveries/${delivery.id}`)).status).toBe(200);
    expect((await reader.post(`/v1/deliveries/${delivery.id}/retry`)).status).toBe(403);
    expect((await reader.post(`${ENDPOINTS}/${endpoint.id}/recover`, { since: '2026-01-01' })).status).toBe(403);
    const writer = await addKey(world, world.merchantId, 'sandbox', ['webhooks:write']);
    expect((await writer.get('/v1/deliveries')).status).toBe(403);
  });
});

import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';
import { inRequest } from '../../../test/support/in-request.js';
import { answering, headerOf, WebhookWorld } from '../../../test/webhooks/webhook-world.js';
import { verifySignature } from '../../cli/demo/demo-signature.js';

let world: WebhookWorld;
beforeEach(async () => {
  world = await WebhookWorld.open();
});
afterEach(() => world.close());

/** Waits for the next second, because signatures of the same second are equal. */
async function nextSecond(): Promise<void> {
  const second = Math.floor(Date.now() / 1000);
  while (Math.floor(Date.now() / 1000) === second) await pause(10);
}

describe('DeliverySender', () => {
  it('sends a signed POST of the stored body, acknowledged by any 2xx and by nothing else [spec 6.2] [J-134]', async () => {
    for (const status of [200, 204, 299]) {
      const { url, requests } = await world.receive(answering(status));
      const { id, secret } = await world.addEndpoint({ url });
      const [eventId] = await world.publish();
      await world.deliver();
      const [event] = await world.query<{ body: string }>(`select body from event where id = $1`, [eventId ?? '']);
      expect(requests).toHaveLength(1);
      expect(requests[0]).toMatchObject({ method: 'POST', path: '/hooks' });
      expect(requests[0]?.body.toString()).toBe(event?.body);
      expect(requests[0]?.headers).toMatchObject({
        'content-type': 'application/json',
        'user-agent': 'Coffer/1',
        'webhook-id': eventId,
        'x-webhook-signature': expect.stringMatching(/^t=\d{10},v1=[0-9a-f]{64}$/),
      });
      expect(requests[0]?.headers).not.toHaveProperty('traceparent');
      const signature = headerOf(requests[0], 'x-webhook-signature');
      const body = requests[0]?.body ?? Buffer.alloc(0);
      expect(verifySignature(signature, body, secret, Math.floor(Date.now() / 1000))).toEqual({ valid: true });
      await world.database.transaction((tx) => world.main.endpoints.remove(tx, world.tenant, id));
    }
    expect((await world.deliveries()).map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered']);
    for (const status of [300, 301, 304, 400, 404, 410, 429, 500, 503]) {
      const { url } = await world.receive(answering(status));
      const { id } = await world.addEndpoint({ url });
      await world.publish();
      await world.deliver();
      expect((await world.deliveries()).at(-1)).toMatchObject({ endpoint_id: id, status: 'pending', attempts: 1 });
      await world.query(`update webhook_endpoint set enabled = false`);
    }
  });

  it('passes on the trace of the request behind the event', async () => {
    const { url, requests } = await world.receive(answering(200));
    const { id } = await world.addEndpoint({ url });
    const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    await inRequest(trace, () => world.database.transaction((tx) => world.main.endpoints.test(tx, world.tenant, id)));
    await world.main.relay.relay();
    await world.deliver();
    expect(headerOf(requests[0], 'traceparent')).toBe(trace);
  });

  it('tries 1 + 5 times, 60 to 960 s apart, the same bytes with a fresh signature, then a dead letter [spec 6.2] [J-135] [E3]', async () => {
    const { url, requests } = await world.receive(answering(500));
    const { secret } = await world.addEndpoint({ url });
    await world.publish();
    for (const [index, wait] of [60, 120, 240, 480, 960, null].entries()) {
      const [{ at: startedAt } = { at: '' }] = await world.query<{ at: string }>(
        `select date_trunc('milliseconds', clock_timestamp())::text as at`,
      );
      await world.deliver();
      await world.deliver();
      expect(requests).toHaveLength(index + 1);
      const [row] = await world.query<{ status: string; is_due_then: boolean }>(
        `select status, due_at - $1 * interval '1 second' between $2 and now() as is_due_then from delivery`,
        [wait, startedAt],
      );
      expect(row).toEqual({
        status: wait === null ? 'dead_letter' : 'pending',
        is_due_then: wait === null ? null : true,
      });
      await world.skipWait();
    }
    expect(new Set(requests.map((request) => request.body.toString())).size).toBe(1);
    expect(new Set(requests.map((request) => headerOf(request, 'webhook-id'))).size).toBe(1);
    const recorded = await world.attempts();
    expect(recorded.map(({ number, response_status: status }) => [number, status])).toEqual(
      [1, 2, 3, 4, 5, 6].map((number) => [number, 500]),
    );
    for (const [index, request] of requests.entries()) {
      const signedAt = Number(recorded[index]?.signed_at);
      expect(signedAt).toBe(Math.floor(Date.parse(recorded[index]?.started_at ?? '') / 1000));
      const signature = headerOf(request, 'x-webhook-signature');
      expect(signature).toMatch(`t=${signedAt},`);
      expect(verifySignature(signature, request.body, secret, signedAt)).toEqual({ valid: true });
    }
  });

  it("passes Stripe's own verification at the first attempt and, with a new t, at the retry, and fails it when tampered [spec 6.3]", async () => {
    const { url, requests } = await world.receive(answering(500, 200));
    const { secret } = await world.addEndpoint({ url });
    await world.record('payment_intent.completed', { id: 'pi_1', reference: 'Größe 😀 \u2028', n: 1e21 });
    await world.main.relay.relay();
    await world.deliver();
    await nextSecond();
    await world.skipWait();
    await world.deliver();
    const [first, retry] = requests;
    expect(headerOf(retry, 'x-webhook-signature').split(',')[0]).not.toBe(
      headerOf(first, 'x-webhook-signature').split(',')[0],
    );
    for (const request of [first, retry]) {
      const signature = headerOf(request, 'x-webhook-signature');
      const event = Stripe.webhooks.constructEvent(request?.body ?? '', signature, secret);
      expect(event).toMatchObject({ id: headerOf(request, 'webhook-id'), type: 'payment_intent.completed' });
      const tampered = request?.body.toString().replace('pi_1', 'pi_2') ?? '';
      expect(() => Stripe.webhooks.constructEvent(tampered, signature, secret)).toThrow(/signature/i);
    }
    expect((await world.deliveries())[0]).toMatchObject({ status: 'delivered', attempts: 2 });
  });

  it('signs with both secrets during the overlap, the new one first, and with the new one alone after it [J-137]', async () => {
    const { url, requests } = await world.receive(answering(200));
    const { id, secret: old } = await world.addEndpoint({ url });
    const rotate = (seconds: number) =>
      world.database.transaction((tx) => world.main.endpoints.rotateSecret(tx, world.tenant, id, seconds));
    const { secret: fresh } = await rotate(60);
    await world.publish();
    await world.deliver();
    const nowSeconds = Math.floor(Date.now() / 1000);
    const [t, v1New, v1Old] = headerOf(requests[0], 'x-webhook-signature').split(',');
    const body = requests[0]?.body ?? Buffer.alloc(0);
    expect(verifySignature(`${t},${v1New}`, body, fresh, nowSeconds)).toEqual({ valid: true });
    expect(verifySignature(`${t},${v1Old}`, body, old, nowSeconds)).toEqual({ valid: true });
    await world.query(`update webhook_endpoint set previous_secret_expires_at = now() - interval '1 s'`);
    await world.publish();
    await world.deliver();
    const alone = headerOf(requests[1], 'x-webhook-signature');
    expect(alone.match(/v1=/g)).toHaveLength(1);
    const next = requests[1]?.body ?? Buffer.alloc(0);
    expect(verifySignature(alone, next, fresh, nowSeconds)).toEqual({ valid: true });
  });

  it('records the response: status, headers and text, or the reason why there was none [J-129] [J-131]', async () => {
    const answers = await world.receive((_request, response) =>
      response
        .writeHead(302, { location: 'http://127.0.0.1:1/' })
        .end(`<script>alert(1)</script>\0${'x'.repeat(20_000)}`),
    );
    await world.addEndpoint({ url: answers.url });
    const gone = await world.receive(answering(200));
    await gone.close();
    await world.addEndpoint({ url: gone.url });
    await world.publish();
    await world.deliver();
    const rows = await world.attempts();
    expect(rows[0]).toMatchObject({ response_status: 302, error_code: null });
    expect(rows[0]?.response_body).toMatch(/^<script>alert\(1\)<\/script>\uFFFDx+$/);
    expect(rows[0]?.response_body?.length).toBeLessThanOrEqual(16_384);
    expect(rows[0]?.response_headers).toMatchObject({ location: 'http://127.0.0.1:1/' });
    expect(rows[1]).toMatchObject({ response_status: null, error_code: 'connect', response_body: null });
    expect(answers.requests).toHaveLength(1);
  });
});

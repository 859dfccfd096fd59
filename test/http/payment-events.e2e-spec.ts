import { createHmac } from 'node:crypto';
import type { RequestListener } from 'node:http';
import Stripe from 'stripe';
import type { EventBody } from '../../src/events/event-envelope.js';
import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import { DelivererService } from '../../src/webhooks/deliveries/deliverer.service.js';
import { type ReceivedRequest, type Receiver, startReceiver } from '../outbound/receiver-zoo.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { startWorld, type World } from '../support/world.js';
import { addressOf, getIntent, intentWithAddress, untilStatus } from './intents.js';

interface Endpoint {
  readonly id: string;
  readonly secret: string;
}

const TOLERANCE_SECONDS = 300;

let world: World;
let receiver: Receiver;
/** Statuses of the next answers; the last one stays. */
let answers: number[];
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  answers = [200];
  const answer: RequestListener = (_request, response) => {
    response.writeHead((answers.length > 1 ? answers.shift() : answers[0]) ?? 200, { Location: '/elsewhere' }).end();
  };
  receiver = await startReceiver(answer);
});
afterEach(async () => {
  await query(world.database, `update webhook_endpoint set deleted_at = now() where deleted_at is null`);
  await receiver.close();
});

async function endpoint(fields: object = {}): Promise<Endpoint> {
  const url = `http://127.0.0.1:${receiver.port}/hooks`;
  const { status, body, text } = await world.api.post<Endpoint>('/v1/webhook-endpoints', { url, ...fields });
  if (status !== 201) throw new Error(`No endpoint: ${text}`);
  return body;
}

/** An intent that is paid on the chain, once it is completed. */
async function completedIntent(): Promise<PaymentIntentObject> {
  const intent = await intentWithAddress(world.api, { reference: 'order-1042' });
  const amount = BigInt(intent.crypto_amount ?? '');
  await world.chain('polygon').pay({ to: addressOf(intent), token: 'USDC', amount });
  return untilStatus(world.api, intent.id, 'completed');
}

/** The n-th request that the receiver got, counted from 1, once it is there. */
const received = (n: number): Promise<ReceivedRequest> => eventually(() => receiver.requests[n - 1]);
const signatureOf = ({ headers }: ReceivedRequest): string => String(headers['x-webhook-signature']);
const signedAt = (request: ReceivedRequest): number => Number(/^t=(\d+),/.exec(signatureOf(request))?.[1]);
const nowSeconds = (): number => Math.floor(Date.now() / 1000);
const eventOf = ({ body }: ReceivedRequest): EventBody => JSON.parse(body.toString());
/** Verifies a request as a merchant's code does, with a third-party library. @throws Error when it refuses the request */
const verified = ({ body }: Pick<ReceivedRequest, 'body'>, header: string, secret: string, receivedAt?: number) =>
  Stripe.webhooks.constructEvent(body, header, secret, TOLERANCE_SECONDS, undefined, receivedAt);

interface Delivery {
  readonly status: string;
  readonly attempts: number;
  readonly wait_seconds: number;
}
const deliveryTo = async ({ id }: Endpoint): Promise<Delivery | undefined> => {
  const [row] = await query<Delivery>(
    world.database,
    `select status, attempts, round(extract(epoch from due_at - coalesce(ended_at, now())))::int as wait_seconds
       from delivery
       left join lateral (select started_at + duration_ms * interval '1 ms' as ended_at from delivery_attempt
                           where delivery_id = delivery.id order by started_at desc limit 1) newest on true
      where endpoint_id = $1`,
    [id],
  );
  return row;
};
/** Lets the time pass that a failed delivery waits. */
async function skipWait({ id }: Endpoint): Promise<void> {
  await query(world.database, `update delivery set due_at = now() where endpoint_id = $1 and status = 'pending'`, [id]);
  await world.service.get(DelivererService).drain();
}

describe('payment_intent.completed', () => {
  it('is posted in the envelope, with the intent as the API shows it [spec 2.4 id, event_type, created_at, data] [spec 6.1 payment_intent.completed] [spec 6.2 rule 1]', async () => {
    await endpoint();
    const intent = await completedIntent();
    const request = await received(1);
    expect(request).toMatchObject({ method: 'POST', path: '/hooks' });
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Coffer\//),
      'webhook-id': eventOf(request).id,
    });
    const event = eventOf(request);
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-hjkmnp-tv-z]{26}$/),
      object: 'event',
      event_type: 'payment_intent.completed',
      type: 'payment_intent.completed',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      environment: 'sandbox',
      sequence: expect.any(Number),
      api_version: 'v1',
      data: { ...intent, payments: [expect.objectContaining({ tx_hash: intent.payments[0]?.tx_hash })] },
    });
    expect(event.data).toMatchObject({
      status: 'completed',
      received_amount_cents: intent.amount_cents,
      remaining_amount_cents: 0,
      reference: 'order-1042',
    });
    expect((await world.api.get(`/v1/events/${event.id}`)).text).toBe(request.body.toString());
    expect((await getIntent(world.api, intent.id)).status).toBe('completed');
  });

  it('is all that an endpoint receives that subscribes to nothing else; * receives everything [spec 6.1 payment_intent.completed]', async () => {
    const [usual, all] = [await endpoint(), await endpoint({ event_types: ['*'] })];
    await completedIntent();
    await received(4);
    const types = receiver.requests.map((request) => eventOf(request).event_type);
    expect(types.toSorted()).toEqual([
      'payment_intent.completed',
      'payment_intent.completed',
      'payment_intent.payment_received',
      'payment_intent.processing',
    ]);
    for (const [{ id }, count] of [
      [usual, 1],
      [all, 3],
    ] as const) {
      const rows = await query(world.database, `select from delivery where endpoint_id = $1`, [id]);
      expect(rows).toHaveLength(count);
    }
  });
});

describe('the signature', () => {
  it('is accepted by stripe.webhooks on the first attempt, and on a retry with a new t [spec 6.3 header, t, v1, rule 1, rule 2] [spec 6.2 rule 3, rule 5]', async () => {
    answers = [500, 200];
    const hook = await endpoint();
    await completedIntent();
    const first = await received(1);
    await eventually(
      async () => (await deliveryTo(hook))?.attempts,
      (seen) => seen === 1,
    );
    await eventually(
      () => nowSeconds(),
      (seen) => seen > signedAt(first),
    );
    await skipWait(hook);
    const retry = await received(2);

    for (const request of [first, retry]) {
      expect(signatureOf(request)).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/);
      expect(Math.abs(nowSeconds() - signedAt(request))).toBeLessThan(30);
      expect(verified(request, signatureOf(request), hook.secret)).toEqual(eventOf(request));
      const recipe = createHmac('sha256', hook.secret)
        .update(`${signedAt(request)}.`)
        .update(request.body);
      expect(signatureOf(request).split(',')).toContain(`v1=${recipe.digest('hex')}`);
    }
    expect(signedAt(retry)).toBeGreaterThan(signedAt(first));
    expect(retry.body.equals(first.body)).toBe(true);
    expect(retry.headers['webhook-id']).toBe(first.headers['webhook-id']);
    await eventually(
      async () => (await deliveryTo(hook))?.status,
      (seen) => seen === 'delivered',
    );
  });

  it('is refused for another body, another secret, another t, or one 300 seconds away [spec 6.3 rule 4, rule 5] [spec 8 timestamp tolerance]', async () => {
    const hook = await endpoint();
    await completedIntent();
    const request = await received(1);
    const header = signatureOf(request);
    const t = signedAt(request);
    const tampered = Buffer.from(request.body.toString().replace('"amount_cents":2500', '"amount_cents":2501'));
    expect(tampered.equals(request.body)).toBe(false);
    expect(() => verified({ body: tampered }, header, hook.secret)).toThrow(/signature/);
    expect(() => verified(request, header, `${hook.secret}x`)).toThrow(/signature/);
    expect(() => verified(request, header.replace(`t=${t}`, `t=${t + 1}`), hook.secret)).toThrow(/signature/);
    const at = (seconds: number): number => (t + seconds) * 1000;
    expect(verified(request, header, hook.secret, at(TOLERANCE_SECONDS))).toEqual(eventOf(request));
    expect(() => verified(request, header, hook.secret, at(TOLERANCE_SECONDS + 1))).toThrow(/tolerance/);
  });

  it('is made with the secret of each endpoint, and with both for an overlap [spec 6.3 rule 3] [spec 5 rule 4]', async () => {
    const hook = await endpoint();
    const other = await endpoint({ event_types: ['*'] });
    const path = `/v1/webhook-endpoints/${hook.id}/rotate-secret`;
    const { body: rotated } = await world.api.post<Endpoint>(path, { overlap_seconds: 600 });
    await world.api.post(`/v1/webhook-endpoints/${hook.id}/test`);
    const request = await received(1);
    expect(signatureOf(request)).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    for (const secret of [rotated.secret, hook.secret]) {
      expect(verified(request, signatureOf(request), secret)).toEqual(eventOf(request));
    }
    expect(() => verified(request, signatureOf(request), other.secret)).toThrow(/signature/);
  });
});

describe('a delivery', () => {
  it.each([200, 204, 299])('is acknowledged by %d [spec 6.2 rule 2] [spec 6.3 rule 6]', async (status) => {
    answers = [status];
    const hook = await endpoint();
    await completedIntent();
    await eventually(
      async () => (await deliveryTo(hook))?.status,
      (seen) => seen === 'delivered',
    );
    expect(receiver.requests).toHaveLength(1);
  });

  it('is retried 5 times after 30 s * 2^n, and is dead then [spec 6.2 rule 3, rule 4] [spec 8 webhook retries]', async () => {
    answers = [500, 404, 301, 410, 503, 500];
    const hook = await endpoint();
    await completedIntent();
    for (const [index, wait] of [60, 120, 240, 480, 960].entries()) {
      const delivery = await eventually(async () => {
        const row = await deliveryTo(hook);
        return row?.attempts === index + 1 ? row : null;
      });
      expect(delivery.status).toBe('pending');
      expect(Math.abs(delivery.wait_seconds - wait)).toBeLessThanOrEqual(2);
      await skipWait(hook);
    }
    const dead = await eventually(async () => {
      const row = await deliveryTo(hook);
      return row?.status === 'dead_letter' ? row : null;
    });
    expect(dead.attempts).toBe(6);
    expect(receiver.requests).toHaveLength(6);
    expect(new Set(receiver.requests.map(({ path }) => path))).toEqual(new Set(['/hooks']));
    expect(new Set(receiver.requests.map(({ body }) => body.toString())).size).toBe(1);
  });

  it('that cannot be made is no loss: the API is the source of truth', async () => {
    await endpoint();
    await receiver.close();
    const intent = await completedIntent();
    const event = await eventually(async () => {
      const { body } = await world.api.get<{ data: EventBody[] }>('/v1/events?event_type=payment_intent.completed');
      return body.data.find(({ data }) => data['id'] === intent.id);
    });
    expect(event.data).toMatchObject({ status: 'completed', received_amount_cents: 2500 });
    receiver = await startReceiver((_request, response) => response.end());
  });
});

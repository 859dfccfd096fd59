import { type WebhookReceiver, WebhookWorld } from '../../../test/webhooks/webhook-world.js';

let world: WebhookWorld;
let receiver: WebhookReceiver;
let status: number;
let endpointId: string;
/** The receiver answers when this resolves. */
let answerAfter: Promise<unknown>;
beforeEach(async () => {
  status = 500;
  answerAfter = Promise.resolve();
  world = await WebhookWorld.open();
  receiver = await world.receive((_request, response) => {
    void answerAfter.finally(() => response.writeHead(status).end());
  });
  endpointId = (await world.addEndpoint({ url: receiver.url })).id;
});
afterEach(() => world.close());

async function publishOne(): Promise<string> {
  await world.publish();
  return (await world.deliveries()).at(-1)?.id ?? '';
}

async function deadLetter(): Promise<string> {
  const id = await publishOne();
  await world.exhaust();
  return id;
}

const REFUSED = { code: 'invalid_state_transition' };

describe('a retry', () => {
  it('begins a new series for a dead letter, with the same event, bytes and all its attempts', async () => {
    const dead = await deadLetter();
    const begun = await world.retry(dead);
    await world.exhaust();
    expect(await world.deliveries()).toMatchObject([
      { id: dead, series: 1, status: 'dead_letter', attempts: 6 },
      { id: begun, series: 2, status: 'dead_letter', attempts: 6 },
    ]);
    expect(receiver.requests).toHaveLength(12);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.requests.map(({ body }) => body.toString())).size).toBe(1);
  });

  it('sends a delivered delivery once more', async () => {
    status = 200;
    const id = await publishOne();
    await world.deliver();
    const begun = await world.retry(id);
    await world.deliver();
    expect(await world.deliveries()).toMatchObject([
      { id, status: 'delivered' },
      { id: begun, series: 2, status: 'delivered' },
    ]);
    expect(receiver.requests).toHaveLength(2);
  });

  it('makes a waiting delivery due now, without another series', async () => {
    const id = await publishOne();
    await world.deliver();
    status = 200;
    expect(await world.retry(id)).toBe(id);
    await world.deliver();
    expect(await world.deliveries()).toMatchObject([{ id, series: 1, status: 'delivered', attempts: 2 }]);
  });

  it('leaves a delivery in flight as it is', async () => {
    const id = await publishOne();
    const [claimed] = await world.main.claims.claim({ total: 1, failing: 1 });
    const before = await world.query(`select * from delivery`);
    expect(await world.retry(claimed?.id ?? '')).toBe(id);
    expect(await world.query(`select * from delivery`)).toEqual(before);
  });

  it('is refused for a superseded series, and sends the latest one', async () => {
    const first = await deadLetter();
    const second = await world.retry(first);
    await world.exhaust();
    await expect(world.retry(first)).rejects.toMatchObject(REFUSED);
    expect(await world.retry(second)).not.toBe(second);
  });

  it('is refused for a deleted endpoint, whatever the status of the delivery', async () => {
    const dead = await deadLetter();
    const waiting = await publishOne();
    await world.removeEndpoint(endpointId);
    await expect(world.retry(dead)).rejects.toMatchObject(REFUSED);
    await expect(world.retry(waiting)).rejects.toMatchObject(REFUSED);
    await world.main.claims.applyEndpointChanges();
    await expect(world.retry(waiting)).rejects.toMatchObject(REFUSED);
  });

  it('pauses a delivery to a disabled endpoint until it is enabled', async () => {
    const dead = await deadLetter();
    const waiting = await publishOne();
    await world.setEnabled(endpointId, false);
    await world.main.claims.applyEndpointChanges();
    expect(await world.retry(waiting)).toBe(waiting);
    const begun = await world.retry(dead);
    await world.deliver();
    expect(await world.query(`select id, status from delivery where not superseded order by series`)).toEqual([
      { id: waiting, status: 'held' },
      { id: begun, status: 'held' },
    ]);
    expect(receiver.requests).toHaveLength(6);
    status = 200;
    await world.setEnabled(endpointId, true);
    await world.main.claims.applyEndpointChanges();
    await world.deliver();
    expect(receiver.requests).toHaveLength(8);
  });

  it('sends once when it is requested several times at once', async () => {
    const dead = await deadLetter();
    const retries = await Promise.allSettled(Array.from({ length: 8 }, () => world.retry(dead)));
    expect(retries.filter((retry) => retry.status === 'fulfilled')).toHaveLength(1);
    status = 200;
    await world.deliver();
    expect(receiver.requests).toHaveLength(7);
  });

  it('sends once beside a claim of the same delivery, in either order', async () => {
    status = 200;
    for (let n = 1; n <= 10; n++) {
      const id = await publishOne();
      // A retry after the answer would rightly send the delivered event once more.
      answerAfter = world.retry(id);
      await Promise.all([answerAfter, world.deliver(), world.deliver(world.newProcess())]);
      await world.deliver();
      expect(receiver.requests).toHaveLength(n);
    }
  });

  it('finds no delivery of another merchant, nor of the other environment [B-20]', async () => {
    const dead = await deadLetter();
    const strangers = [
      { merchantId: await world.addMerchant(), environment: 'sandbox' },
      { ...world.tenant, environment: 'live' },
    ] as const;
    for (const stranger of strangers) {
      await expect(world.retry(dead, stranger)).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

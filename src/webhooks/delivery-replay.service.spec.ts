import { type WebhookReceiver, WebhookWorld } from '../../test/webhooks/webhook-world.js';

let world: WebhookWorld;
let receiver: WebhookReceiver;
let status: number;
let endpointId: string;
beforeEach(async () => {
  status = 500;
  world = await WebhookWorld.open();
  receiver = await world.receive((_request, response) => response.writeHead(status).end());
  endpointId = (await world.addEndpoint({ url: receiver.url })).id;
});
afterEach(() => world.close());

async function exhaust(): Promise<void> {
  for (let attempt = 1; attempt <= 6; attempt++) {
    await world.deliver();
    await world.skipWait();
  }
}

const idsOf = async (): Promise<string[]> => (await world.deliveries()).map(({ id }) => id);

describe('DeliveryReplayService', () => {
  it('begins a new series with the same event id and all its attempts, beside the dead letter', async () => {
    await world.publish();
    await exhaust();
    const [deadLetter] = await idsOf();
    const replayed = await world.main.replays.replay([deadLetter ?? '']);
    expect(replayed).toHaveLength(1);
    await exhaust();
    expect(await world.deliveries()).toMatchObject([
      { id: deadLetter, series: 1, status: 'dead_letter', attempts: 6 },
      { id: replayed[0], series: 2, status: 'dead_letter', attempts: 6 },
    ]);
    expect(receiver.requests).toHaveLength(12);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.requests.map(({ body }) => body.toString())).size).toBe(1);
  });

  it('happens once, although it is asked for several times and at once', async () => {
    await world.publish();
    await exhaust();
    const ids = await idsOf();
    const replays = await Promise.all(Array.from({ length: 8 }, () => world.main.replays.replay(ids)));
    expect(replays.flat()).toHaveLength(1);
    expect(await world.main.replays.replay(await idsOf())).toEqual([]);
    status = 200;
    await world.deliver();
    expect(await world.main.replays.replay(ids)).toEqual([]);
    expect(await world.main.replays.replay(await idsOf())).toHaveLength(1);
    expect((await world.deliveries()).map(({ series, status: now }) => [series, now])).toEqual([
      [1, 'dead_letter'],
      [2, 'delivered'],
      [3, 'pending'],
    ]);
  });

  it('leaves out what still waits, what does not exist and what belongs to a deleted endpoint', async () => {
    await world.publish();
    expect(await world.main.replays.replay([...(await idsOf()), 'dlv_unknown'])).toEqual([]);
    await exhaust();
    await world.database.transaction((tx) => world.main.endpoints.remove(tx, world.tenant, endpointId));
    expect(await world.main.replays.replay(await idsOf())).toEqual([]);
    await expect(world.main.replays.replaySince(endpointId, new Date(0))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('replays all of an endpoint since a time, in batches, and of no other endpoint', async () => {
    const other = await world.addEndpoint();
    await world.query(
      `insert into event (id, merchant_id, environment, type, resource_id, data)
       select 'evt_' || n, $1, 'sandbox', 'payment_intent.completed', 'pi_1', '{}' from generate_series(1, 1203) n`,
      [world.tenant.merchantId],
    );
    await world.main.relay.relay();
    await world.query(
      `update delivery set status = 'delivered', finished_at = now(),
         created_at = now() - substr(event_id, 5)::int * interval '1 minute'`,
    );
    const since = new Date(Date.now() - 1201.5 * 60_000);
    expect(await world.main.replays.replaySince(endpointId, since)).toBe(1201);
    const replayed = (await world.deliveries()).filter(({ series }) => series === 2);
    expect(replayed).toHaveLength(1201);
    expect(replayed.every((delivery) => delivery.endpoint_id === endpointId && delivery.endpoint_id !== other.id)).toBe(
      true,
    );
  });
});

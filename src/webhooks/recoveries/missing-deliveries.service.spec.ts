import { WebhookWorld } from '../../../test/webhooks/webhook-world.js';
import { MissingDeliveriesService } from './missing-deliveries.service.js';

let world: WebhookWorld;
let service: MissingDeliveriesService;
beforeEach(async () => {
  world = await WebhookWorld.open();
  service = new MissingDeliveriesService(world.database);
});
afterEach(() => world.close());

/** Adds events of this type without deliveries, each a minute older than the one before. */
async function addEvents(type: string, count: number, firstSequence: number): Promise<void> {
  await world.query(
    `insert into event (id, merchant_id, environment, type, resource_id, data, created_at, sequence, body)
     select 'evt_' || $2 || n, $1, 'sandbox', $2, 'pi_1', '{}', now() - n * interval '1 minute',
            $4::int + n, '{}'
       from generate_series(1, $3::int) n`,
    [world.tenant.merchantId, type, count, firstSequence],
  );
}

const owedTo = async (endpointId: string): Promise<string[]> => {
  const rows = await world.query<{ event_id: string }>(
    `select event_id from delivery where endpoint_id = $1 and status = 'pending' and series = 1`,
    [endpointId],
  );
  return rows.map(({ event_id: id }) => id);
};

describe('sending missing events', () => {
  it('sends each event from a time on once, of the subscribed types, and never a test', async () => {
    await addEvents('payment_intent.completed', 1_200, 0);
    await addEvents('payment_intent.expired', 20, 2_000);
    await addEvents('ping', 20, 3_000);
    const { id } = await world.addEndpoint({ event_types: ['payment_intent.completed', 'ping'] });
    const since = new Date(Date.now() - 1_100.5 * 60_000);
    expect(await service.send(id, since)).toBe(1_100);
    expect(new Set(await owedTo(id))).toEqual(
      new Set(Array.from({ length: 1_100 }, (_, n) => `evt_payment_intent.completed${n + 1}`)),
    );
    expect(await service.send(id, since)).toBe(0);
    expect(await service.send(id, new Date(0))).toBe(100);
  });

  it('sends no event that has a delivery, delivered or not, and none of another merchant', async () => {
    const { id } = await world.addEndpoint();
    await world.publish(2);
    const foreign = { merchantId: await world.addMerchant(), environment: 'sandbox' } as const;
    await world.record('payment_intent.completed', {}, foreign);
    await world.main.relay.relay();
    expect(await service.send(id, new Date(0))).toBe(0);
  });

  it('is refused for a disabled endpoint, and for one that does not exist', async () => {
    const { id } = await world.addEndpoint();
    await world.setEnabled(id, false);
    await expect(service.send(id, new Date(0))).rejects.toMatchObject({ code: 'invalid_state_transition' });
    await expect(service.send('we_unknown', new Date(0))).rejects.toMatchObject({ code: 'not_found' });
  });
});

import type { Tenant } from '../../domain/tenant.js';
import { queryOne } from '../../../test/support/sql.js';
import { WebhookWorld } from '../../../test/webhooks/webhook-world.js';
import { DeliveryFanoutService } from './delivery-fanout.service.js';

let world: WebhookWorld;
beforeEach(async () => {
  world = await WebhookWorld.open();
});
afterEach(() => world.close());

/** The endpoints that have a delivery of an event. */
async function endpointsOf(eventId: string): Promise<string[]> {
  const deliveries = await world.deliveries();
  return deliveries.filter((delivery) => delivery.event_id === eventId).map((delivery) => delivery.endpoint_id);
}

describe('DeliveryFanoutService', () => {
  it('creates deliveries for the endpoints of the tenant that subscribe to the type, or to all', async () => {
    const all = await world.addEndpoint({ event_types: ['*'] });
    const failed = await world.addEndpoint({ event_types: ['ping', 'payment_intent.failed'] });
    const others: Tenant[] = [
      { ...world.tenant, environment: 'live' },
      { merchantId: await world.addMerchant(), environment: 'sandbox' },
    ];
    for (const other of others) await world.addEndpoint({}, other);
    const completedEvent = await world.record('payment_intent.completed');
    const failedEvent = await world.record('payment_intent.failed');
    await world.main.relay.relay();
    expect(await endpointsOf(completedEvent)).toEqual([all.id]);
    expect(await endpointsOf(failedEvent)).toEqual([all.id, failed.id]);
    expect(world.wakes.filter((wake) => wake === 'webhooks.deliver')).toHaveLength(1);
  });

  it('creates no delivery for an endpoint that is disabled, deleted, or younger than the event', async () => {
    await world.addEndpoint({ enabled: false });
    const deleted = await world.addEndpoint();
    await world.database.transaction((tx) => world.main.endpoints.remove(tx, world.tenant, deleted.id));
    const eventId = await world.record();
    const [{ created_at: recordedAt } = { created_at: '' }] = await world.query<{ created_at: string }>(
      `select created_at + interval '1 ms' as created_at from event`,
    );
    const young = await world.addEndpoint();
    await world.query(`update webhook_endpoint set created_at = $1 where id = $2`, [recordedAt, young.id]);
    world.wakes.length = 0;
    await world.main.relay.relay();
    expect(await endpointsOf(eventId)).toEqual([]);
    expect(world.wakes).toEqual([]);
  });

  it('makes deliveries due at once, in whichever part of a millisecond', async () => {
    await world.addEndpoint();
    const fanout = new DeliveryFanoutService({ wake: () => undefined, wakeMany: () => undefined });
    for (let n = 0; n < 20; n += 1) {
      const eventId = await world.record();
      const { is_due: isDue } = await world.database.transaction(async (tx) => {
        await fanout.fanOut(tx, [eventId]);
        return queryOne<{ is_due: boolean }>(tx, `select due_at <= now() as is_due from delivery where event_id = $1`, [
          eventId,
        ]);
      });
      expect(isDue).toBe(true);
    }
  });

  it('creates the delivery of a ping for the tested endpoint only, whatever it subscribes to', async () => {
    const tested = await world.addEndpoint({ event_types: ['payment_intent.failed'] });
    await world.addEndpoint({ event_types: ['*'] });
    const { event_id: eventId } = await world.database.transaction((tx) =>
      world.main.endpoints.test(tx, world.tenant, tested.id),
    );
    await world.main.relay.relay();
    expect(await endpointsOf(eventId)).toEqual([tested.id]);
  });
});

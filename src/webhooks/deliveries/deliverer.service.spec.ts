import { eventually } from '../../../test/support/eventually.js';
import { answering, headerOf, WebhookWorld } from '../../../test/webhooks/webhook-world.js';

let world: WebhookWorld;
beforeEach(async () => {
  world = await WebhookWorld.open();
});
afterEach(() => world.close());

describe('a delivery that waits', () => {
  it('goes to the new URL after the endpoint moved [J-141]', async () => {
    const before = await world.receive(answering(500));
    const after = await world.receive(answering(200));
    const { id } = await world.addEndpoint({ url: before.url });
    await world.publish();
    await world.deliver();
    await world.database.transaction((tx) => world.main.endpoints.update(tx, world.tenant, id, { url: after.url }));
    await world.skipWait();
    await world.deliver();
    expect([before.requests.length, after.requests.length]).toEqual([1, 1]);
    expect((await world.deliveries())[0]).toMatchObject({ status: 'delivered', attempts: 2 });
  });

  it('is cancelled and never sent after its endpoint was deleted [J-141]', async () => {
    const { url, requests } = await world.receive(answering(500));
    const { id } = await world.addEndpoint({ url });
    await world.publish(3);
    await world.deliver();
    await world.database.transaction((tx) => world.main.endpoints.remove(tx, world.tenant, id));
    await world.skipWait();
    await world.deliver();
    expect(requests).toHaveLength(3);
    await world.main.claims.applyEndpointChanges();
    expect((await world.deliveries()).map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  it('waits on while its endpoint is disabled, and goes out once it is enabled', async () => {
    const { url, requests } = await world.receive(answering(200));
    const { id } = await world.addEndpoint({ url });
    await world.publish();
    const enable = (enabled: boolean) =>
      world.database.transaction((tx) => world.main.endpoints.update(tx, world.tenant, id, { enabled }));
    await enable(false);
    await world.deliver();
    expect(requests).toHaveLength(0);
    await enable(true);
    await world.deliver();
    expect((await world.deliveries())[0]).toMatchObject({ status: 'delivered', attempts: 1 });
  });
});

describe('DelivererService', () => {
  it('delivers to 99 good endpoints while one with 500 events never answers [J-139]', async () => {
    const silent = await world.receive(() => undefined);
    const good = await world.receive(answering(200));
    const others = await world.addMerchant();
    await world.addEndpoint({ url: silent.url }, { merchantId: others, environment: 'sandbox' });
    await world.query(
      `insert into event (id, merchant_id, environment, type, resource_id, data)
       select 'evt_' || n, $1, 'sandbox', 'payment_intent.completed', 'pi_1', '{}' from generate_series(1, 500) n`,
      [others],
    );
    for (let n = 0; n < 99; n++) {
      const tenant = n < 50 ? world.tenant : { ...world.tenant, environment: 'live' as const };
      await world.addEndpoint({ url: good.url }, tenant);
    }
    // Live targets must be public, so the second half is moved to the sandbox behind the API's back.
    await world.query(`update webhook_endpoint set environment = 'sandbox'`);
    await world.main.relay.relay();
    await world.main.deliverer.drain();
    await eventually(
      () => silent.requests.length,
      (seen) => seen === 4,
    );
    await world.publish();
    await world.main.deliverer.drain();
    await eventually(
      () => good.requests.length,
      (seen) => seen === 99,
    );
    await eventually(
      async () => (await world.attempts()).length,
      (seen) => seen === 99,
    );
    expect(silent.requests).toHaveLength(4);
  });

  it('continues with the backlog of a quick endpoint while slow ones hold most of its slots [J-139]', async () => {
    const silent = await world.receive(() => undefined);
    const good = await world.receive(answering(200));
    const others = { ...world.tenant, merchantId: await world.addMerchant() };
    for (let n = 0; n < 40; n++) await world.addEndpoint({ url: silent.url }, others);
    for (let n = 0; n < 4; n++) await world.record('payment_intent.completed', {}, others);
    await world.main.relay.relay();
    await world.main.deliverer.drain();
    // The most that one receiver is sent at a time; the others of the 160 wait for a connection.
    await eventually(
      () => silent.requests.length,
      (seen) => seen === 64,
    );
    await world.addEndpoint({ url: good.url });
    await world.publish(30);
    await world.main.deliverer.drain();
    await eventually(
      () => good.requests.length,
      (seen) => seen === 30,
    );
  });

  it('sends each delivery once, however many processes deliver', async () => {
    const { url, requests } = await world.receive(answering(200));
    for (let n = 0; n < 10; n++) await world.addEndpoint({ url });
    await world.publish(20);
    const processes = [world.main, world.newProcess(), world.newProcess(), world.newProcess()];
    await Promise.all(processes.map((process) => world.deliver(process)));
    await eventually(
      () => world.deliveries(),
      (seen) => seen.every(({ status }) => status === 'delivered'),
    );
    expect(requests).toHaveLength(200);
  });

  it('repeats, under the same number, the attempts that a killed process had in flight [J-138] [K-143]', async () => {
    const { url, requests } = await world.receive(answering(200));
    await world.addEndpoint({ url });
    await world.publish();
    const [lost] = await world.newProcess().claims.claim({ total: 64, failing: 32 });
    expect(lost).toMatchObject({ attempt: 1 });
    await world.deliver();
    expect(requests).toHaveLength(0);
    await world.query(`update delivery set lease_until = now() - interval '1 ms'`);
    await world.deliver();
    expect(requests).toHaveLength(1);
    expect((await world.attempts()).map(({ number }) => number)).toEqual([1]);
  });

  it('repeats an attempt that was sent but not recorded, with the same event id [J-133] [J-138]', async () => {
    const { url, requests } = await world.receive(answering(200));
    await world.addEndpoint({ url });
    await world.publish();
    const killed = world.newProcess();
    const [claimed] = await killed.claims.claim({ total: 64, failing: 32 });
    if (claimed === undefined) throw new Error('Nothing was claimed.');
    await killed.sender.send(claimed);
    await world.query(`update delivery set lease_until = now() - interval '1 ms'`);
    await world.deliver();
    expect(requests.map((request) => headerOf(request, 'webhook-id'))).toEqual([claimed.eventId, claimed.eventId]);
    expect((await world.deliveries())[0]).toMatchObject({ status: 'delivered', attempts: 1 });
  });

  it('records nothing for a delivery that another process has taken over [K-147]', async () => {
    const { url } = await world.receive(answering(200));
    await world.addEndpoint({ url });
    await world.publish();
    const paused = world.newProcess();
    const [claimed] = await paused.claims.claim({ total: 64, failing: 32 });
    if (claimed === undefined) throw new Error('Nothing was claimed.');
    await world.query(`update delivery set lease_until = now() - interval '1 ms'`);
    const [taken] = await world.main.claims.claim({ total: 64, failing: 32 });
    expect(taken?.id).toBe(claimed.id);
    const attempt = await paused.sender.send(claimed);
    expect(await paused.records.record(claimed, attempt)).toBeNull();
    expect(await world.attempts()).toEqual([]);
    expect((await world.deliveries())[0]).toMatchObject({ status: 'pending', attempts: 0 });
  });

  it('dead-letters a delivery that an internal error prevents, without a failure of the endpoint, and delivers the rest [K-152]', async () => {
    const { url, requests } = await world.receive(answering(200));
    const poisoned = await world.addEndpoint({ url });
    const healthy = await world.addEndpoint({ url });
    await world.query(`update webhook_endpoint set secret = 'x' where id = $1`, [poisoned.id]);
    await world.publish();
    for (let attempt = 1; attempt <= 6; attempt++) {
      await world.deliver();
      await world.skipWait();
    }
    expect(requests).toHaveLength(1);
    expect(await world.deliveries()).toMatchObject([
      { endpoint_id: poisoned.id, status: 'dead_letter', attempts: 6 },
      { endpoint_id: healthy.id, status: 'delivered', attempts: 1 },
    ]);
    expect((await world.attempts()).filter(({ error_code: code }) => code === 'internal')).toHaveLength(6);
    const health = await world.query(`select failing_since, dead_letters from webhook_endpoint where id = $1`, [
      poisoned.id,
    ]);
    expect(health).toEqual([{ failing_since: null, dead_letters: 0 }]);
  });

  it('finds due deliveries without any wake-up, also at the retry [K-145]', async () => {
    const { url, requests } = await world.receive(answering(500, 500, 200));
    await world.addEndpoint({ url });
    await world.publish();
    const alone = world.newProcess({ backoffBaseMs: 10 });
    alone.deliverer.start();
    await eventually(
      async () => (await world.deliveries())[0]?.status,
      (seen) => seen === 'delivered',
    );
    expect(requests).toHaveLength(3);
  });

  it('waits on stop for attempts in flight, and records them [K-149]', async () => {
    const slow = Promise.withResolvers<void>();
    const { url, requests } = await world.receive((_request, response) => void slow.promise.then(() => response.end()));
    await world.addEndpoint({ url });
    await world.publish(6);
    await world.main.deliverer.drain();
    await eventually(
      () => requests.length,
      (seen) => seen === 4,
    );
    const stopped = world.main.deliverer.stop();
    slow.resolve();
    await stopped;
    await world.main.deliverer.drain();
    expect((await world.deliveries()).map(({ status }) => status).toSorted()).toEqual([
      ...Array.from({ length: 4 }, () => 'delivered'),
      ...Array.from({ length: 2 }, () => 'pending'),
    ]);
    expect(await world.query(`select from delivery where lease_holder is not null`)).toEqual([]);
  });
});

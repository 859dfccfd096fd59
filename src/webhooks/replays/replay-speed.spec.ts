import { KIM } from '../../../test/support/console-actor.js';
import { CountedDatabase } from '../../../test/support/counted-database.js';
import { eventually } from '../../../test/support/eventually.js';
import { query } from '../../../test/support/sql.js';
import { addDeliveries } from '../../../test/webhooks/many-deliveries.js';
import { type WebhookReceiver, WebhookWorld } from '../../../test/webhooks/webhook-world.js';
import { ReplaySignals } from '../deliveries/replay-signals.js';
import { ReplayFeeder } from './replay-feeder.service.js';
import type { ReplayFilter } from './replay-filter.js';

let world: WebhookWorld;
let receiver: WebhookReceiver;
beforeEach(async () => {
  world = await WebhookWorld.open();
  receiver = await world.receive((_request, response) => response.writeHead(200).end());
});
afterEach(() => world.close());

/** Adds endpoints with dead letters; returns their ids. */
async function addEndpoints(count: number, deadLetters: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const { id } = await world.addEndpoint({ url: receiver.url });
    await addDeliveries(world, { endpointId: id, count: deadLetters, status: 'dead_letter', responseStatus: 500 });
    ids.push(id);
  }
  return ids;
}

const recover = async (filter: ReplayFilter = {}): Promise<string> => {
  const by = { environment: 'sandbox', author: KIM, reason: null } as const;
  return (await world.database.transaction((tx) => world.main.replays.order(tx, { ...by, verb: 'recover', filter })))
    .id;
};
const jobOf = async (id: string) => (await world.main.replays.get('sandbox', id)).job;

it('a job wakes a worker when it is ordered and when it is resumed', async () => {
  await addEndpoints(1, 1);
  const id = await recover();
  const move = (to: 'paused' | 'running') =>
    world.database.transaction((tx) => world.main.replays.move(tx, { environment: 'sandbox', author: KIM }, id, to));
  expect(world.wakes.filter((wake) => wake === 'webhooks.replay')).toHaveLength(1);
  await move('paused');
  expect(world.wakes.filter((wake) => wake === 'webhooks.replay')).toHaveLength(1);
  await move('running');
  expect(world.wakes.filter((wake) => wake === 'webhooks.replay')).toHaveLength(2);
});

it('one run of the feeder carries out a whole job, woken whenever deliveries have ended', async () => {
  await addEndpoints(1, 130);
  const id = await recover();
  world.main.feeder.onModuleInit();
  world.main.deliverer.start();
  await world.main.feeder.feed();
  // No recurring job runs here.
  await eventually(async () => (await jobOf(id)).status === 'done' || undefined, 30_000);
  expect(await jobOf(id)).toMatchObject({ sent: 130, delivered: 130, skipped: 0, waiting: 0 });
  expect(receiver.requests).toHaveLength(130);
});

it('a batch to twenty endpoints takes as many statements as one to a single endpoint', async () => {
  const endpoints = await addEndpoints(20, 50);
  const roundOf = async (filter: ReplayFilter) => {
    const database = new CountedDatabase(world.home.orm);
    const webhooks = { backoffBaseMs: 1, timeoutMs: 1, allowPrivateTargets: true, inFlightPerEndpoint: 4 };
    const config = { webhooks: { ...webhooks, answerRetentionDays: 30, attemptRetentionDays: 180 } };
    const id = await recover(filter);
    const sent = await new ReplayFeeder(database, new ReplaySignals(), config).round();
    await world.database.transaction((tx) =>
      world.main.replays.move(tx, { environment: 'sandbox', author: KIM }, id, 'stopped'),
    );
    await world.deliver();
    return { sent, statements: database.statements };
  };
  const one = await roundOf({ endpoint_id: endpoints[0] ?? '' });
  const all = await roundOf({});
  expect(one.sent).toBe(20);
  expect(all.sent).toBe(400);
  expect(all.statements).toBe(one.statements);
});

it('an endpoint where a batch fails delays no other', async () => {
  const [broken] = await addEndpoints(3, 5);
  await world.home.owner.transaction(async (tx) => {
    await query(tx, `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`);
    await query(
      tx,
      `create trigger refuse before insert on delivery for each row
      when (new.endpoint_id = '${broken}') execute function refuse()`,
    );
  });
  const id = await recover();
  expect(await world.main.feeder.round()).toBe(10);
  await world.home.owner.transaction((tx) => query(tx, `drop trigger refuse on delivery`));
  expect(await world.main.feeder.round()).toBe(5);
  await world.deliver();
  await world.main.feeder.round();
  expect(await jobOf(id)).toMatchObject({ status: 'done', sent: 15, delivered: 15 });
});

it('an order and its batches do not wait while the endpoint is changed or tested', async () => {
  const [id = ''] = await addEndpoints(1, 30);
  const { endpoints, feeder } = world.main;
  await world.database.transaction(async (tx) => {
    await endpoints.update(tx, world.tenant, id, { description: 'being changed' });
    await recover({ endpoint_id: id });
    expect(await feeder.round()).toBe(20);
  });
  await world.deliver();
  await world.database.transaction(async (tx) => {
    await endpoints.test(tx, world.tenant, id);
    expect(await feeder.round()).toBe(10);
    await world.database.transaction((another) => endpoints.test(another, world.tenant, id));
  });
});

it('without a limit for each endpoint, a batch fills one endpoint with more than 20', async () => {
  await addEndpoints(1, 120);
  const id = await recover();
  const unlimited = world.newProcess({ inFlightPerEndpoint: 0 });
  expect(await unlimited.feeder.round()).toBe(120);
  expect(await unlimited.claims.claim({ total: 100, failing: 0 })).toHaveLength(100);
  expect(await jobOf(id)).toMatchObject({ sent: 120, waiting: 120 });
});

import { aChain, anIntent, type SeededChain } from '../../../test/support/factories.js';
import { answering, WebhookWorld } from '../../../test/webhooks/webhook-world.js';
import { INTENT_STATUSES } from '../../domain/intent-state.js';
import { IntentTimeline } from './timeline.service.js';

let world: WebhookWorld;
let chain: SeededChain;
beforeAll(async () => {
  world = await WebhookWorld.open();
  chain = await aChain(world.database);
});
afterAll(() => world.close());

it('says of each webhook attempt for an intent to which endpoint it went, without its query, and what that answered', async () => {
  const { url } = await world.receive(answering(500, 200));
  const endpoint = await world.addEndpoint({ url: `${url}?token=secret` });
  const { id } = await anIntent(world.database, { tenant: world.tenant, chain });
  await world.database.transaction((tx) =>
    world.main.events.record(tx, {
      tenant: world.tenant,
      type: 'payment_intent.expired',
      resourceId: id,
      data: { id },
    }),
  );
  await world.main.relay.relay();
  await world.deliver();
  await world.skipWait();
  await world.deliver();
  const items = await new IntentTimeline(world.database).of('sandbox', id);
  const attempt = { endpointId: endpoint.id, url };
  expect(items.filter(({ kind }) => kind === 'webhook_attempt')).toMatchObject([
    { failed: true, attempt: { ...attempt, number: 1, responseStatus: 500 } },
    { failed: false, attempt: { ...attempt, number: 2, responseStatus: 200 } },
  ]);
  expect(items.filter(({ kind }) => kind !== 'webhook_attempt').every((item) => item.attempt === null)).toBe(true);
  expect(JSON.stringify(items)).not.toContain('secret');
});

it.each(INTENT_STATUSES)('names the deadline of an intent that is %s unless it ended without it', async (status) => {
  const { id, expiresAt } = await anIntent(world.database, { tenant: world.tenant, chain, status });
  const items = await new IntentTimeline(world.database).of('sandbox', id);
  const deadlines = items.filter(({ kind }) => kind === 'deadline').map(({ at, title }) => ({ at, title }));
  const isEndedWithout = status === 'completed' || status === 'cancelled';
  expect(deadlines).toEqual(isEndedWithout ? [] : [{ at: expiresAt, title: 'The time to pay ends.' }]);
});

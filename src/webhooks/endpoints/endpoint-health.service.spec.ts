import { WebhookWorld } from '../../../test/webhooks/webhook-world.js';
import { EventViewsService } from '../../events/event-views.service.js';

let world: WebhookWorld;
let status: number;
let endpointId: string;
beforeEach(async () => {
  status = 500;
  world = await WebhookWorld.open();
  const receiver = await world.receive((_request, response) => response.writeHead(status).end());
  endpointId = (await world.addEndpoint({ url: receiver.url })).id;
});
afterEach(() => world.close());

interface Health {
  enabled: boolean;
  disabled_reason: string | null;
  failing: boolean;
  dead_letters: number;
}

async function health(): Promise<Health | undefined> {
  const [row] = await world.query<Health>(
    `select enabled, disabled_reason, failing_since is not null as failing, dead_letters
       from webhook_endpoint where id = $1`,
    [endpointId],
  );
  return row;
}

const remember = (failingDays: number, deadLetters: number): Promise<unknown> =>
  world.query(`update webhook_endpoint set dead_letters = $2, failing_since = now() - $1::int * interval '1 day'`, [
    failingDays,
    deadLetters,
  ]);

/** Publishes one event and attempts it until it is a dead letter. */
async function addDeadLetter(): Promise<void> {
  await world.publish();
  for (let attempt = 1; attempt <= 6; attempt++) {
    await world.deliver();
    await world.skipWait();
  }
}

describe('EndpointHealthService', () => {
  it('counts dead letters from the first failure on, and clears both with one success', async () => {
    await addDeadLetter();
    expect(await health()).toEqual({ enabled: true, disabled_reason: null, failing: true, dead_letters: 1 });
    status = 200;
    await world.publish();
    await world.deliver();
    expect(await health()).toEqual({ enabled: true, disabled_reason: null, failing: false, dead_letters: 0 });
  });

  it('notes the last success at most once a minute, and shows the dead letters that were not retried', async () => {
    const shown = () => world.main.endpoints.get(world.database.em(), world.tenant, endpointId);
    await addDeadLetter();
    expect(await shown()).toMatchObject({
      last_success_at: null,
      failing_since: expect.any(String),
      dead_letters: 1,
    });
    status = 200;
    const succeed = async (): Promise<string | null> => {
      await world.publish();
      await world.deliver();
      return (await shown()).last_success_at;
    };
    const first = await succeed();
    expect(first).not.toBeNull();
    expect(await shown()).toMatchObject({ failing_since: null, dead_letters: 1 });
    const [before] = await world.query(`select xmin, last_success_at from webhook_endpoint`);
    expect(await succeed()).toBe(first);
    expect(await world.query(`select xmin, last_success_at from webhook_endpoint`)).toEqual([before]);
    await world.query(`update webhook_endpoint set last_success_at = last_success_at - interval '61 s'`);
    expect(Date.parse((await succeed()) ?? '')).toBeGreaterThanOrEqual(Date.parse(first ?? ''));
    const [deadLetter] = await world.deliveries();
    await world.retry(deadLetter?.id ?? '');
    expect(await shown()).toMatchObject({ dead_letters: 0 });
  });

  it('disables an endpoint with only failures for 5 days and at least 20 dead letters, and notifies the others', async () => {
    const other = await world.addEndpoint({ event_types: ['webhook_endpoint.disabled'] });
    await remember(5, 19);
    await world.query(`update webhook_endpoint set failing_since = null, dead_letters = 0 where id = $1`, [other.id]);
    await addDeadLetter();
    expect(await health()).toMatchObject({ enabled: false, disabled_reason: 'failing', dead_letters: 20 });
    await world.main.relay.relay();
    const delivery = (await world.deliveries()).at(-1);
    expect(delivery).toMatchObject({ endpoint_id: other.id, status: 'pending' });
    const event = await new EventViewsService(world.database).get(world.tenant, delivery?.event_id ?? '');
    expect(event).toMatchObject({
      type: 'webhook_endpoint.disabled',
      data: {
        id: endpointId,
        object: 'webhook_endpoint',
        enabled: false,
        disabled_reason: 'failing',
        failing_since: expect.any(String),
        dead_letters: 1,
      },
    });
    expect(JSON.stringify(event)).not.toContain('whsec_');
  });

  it('leaves it enabled one dead letter earlier, and before the fifth day', async () => {
    await remember(9, 18);
    await addDeadLetter();
    expect(await health()).toMatchObject({ enabled: true, dead_letters: 19 });
    await remember(4, 50);
    await addDeadLetter();
    expect(await health()).toMatchObject({ enabled: true, dead_letters: 51 });
  });

  it('disables once and sends one event, although several attempts fail at the same time', async () => {
    await world.publish(4);
    await world.deliver();
    await remember(6, 25);
    await world.skipWait();
    const processes = [world.newProcess(), world.newProcess(), world.newProcess(), world.newProcess()];
    await Promise.all(processes.map((process) => world.deliver(process)));
    expect(await health()).toMatchObject({ enabled: false });
    const events = await world.query(`select from event where type = 'webhook_endpoint.disabled'`);
    expect(events).toHaveLength(1);
  });
});

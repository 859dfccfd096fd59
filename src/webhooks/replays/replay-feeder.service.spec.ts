import { addDeliveries } from '../../../test/webhooks/many-deliveries.js';
import { type WebhookProcess, type WebhookReceiver, WebhookWorld } from '../../../test/webhooks/webhook-world.js';
import { KIM } from '../../../test/support/console-actor.js';
import type { ReplayFilter } from './replay-filter.js';
import type { ReplayVerb } from './replay-verb.js';

let world: WebhookWorld;
let receiver: WebhookReceiver;
let status: number;
let endpointId: string;
beforeEach(async () => {
  status = 200;
  world = await WebhookWorld.open();
  receiver = await world.receive((_request, response) => response.writeHead(status).end());
  endpointId = (await world.addEndpoint({ url: receiver.url })).id;
});
afterEach(() => world.close());

const order = (verb: ReplayVerb, filter: ReplayFilter) =>
  world.database.transaction((tx) =>
    world.main.replays.order(tx, {
      environment: 'sandbox',
      verb,
      filter,
      author: KIM,
      reason: null,
    }),
  );
const move = (id: string, to: 'running' | 'paused' | 'stopped') =>
  world.database.transaction((tx) => world.main.replays.move(tx, { environment: 'sandbox', author: KIM }, id, to));
const jobOf = async (id: string) => (await world.main.replays.get('sandbox', id)).job;

/** Feeds and delivers until the job has ended. */
async function carryOut(id: string, process: WebhookProcess = world.main): Promise<void> {
  for (let round = 0; round < 200; round++) {
    await process.feeder.round();
    await world.deliver(process);
    if ((await jobOf(id)).status !== 'running') return;
  }
  throw new Error('The job has not ended.');
}

const sentIds = () => receiver.requests.map(({ headers }) => String(headers['webhook-id'])).toSorted();
const waiting = async () =>
  (await world.query<{ count: number }>(`select count(*)::int from delivery where status = 'pending'`))[0]?.count;

describe('a recovery of staff', () => {
  it('sends dead letters and waiting deliveries once, never delivered ones, and ends with exact counts', async () => {
    await addDeliveries(world, { endpointId, count: 57, status: 'dead_letter', responseStatus: 500 });
    await addDeliveries(world, { endpointId, count: 30, status: 'pending', responseStatus: 500 });
    await addDeliveries(world, { endpointId, count: 5, status: 'delivered', responseStatus: 200 });
    const { id } = await order('recover', {});
    await carryOut(id);
    expect(await jobOf(id)).toMatchObject({
      status: 'done',
      sent: 87,
      skipped: 0,
      delivered: 87,
      failed: 0,
      waiting: 0,
    });
    expect(new Set(sentIds()).size).toBe(87);
    expect(receiver.requests).toHaveLength(87);
    const again = await order('recover', {});
    await carryOut(again.id);
    expect(await jobOf(again.id)).toMatchObject({ status: 'done', sent: 0 });
  });

  it('lets at most 20 of its deliveries wait at an endpoint, so that fresh events are not behind all of them', async () => {
    await addDeliveries(world, { endpointId, count: 100, status: 'dead_letter', responseStatus: 500 });
    await order('recover', { endpoint_id: endpointId });
    for (let round = 0; round < 3; round++) {
      await world.main.feeder.round();
      expect(await waiting()).toBe(20);
    }
    await world.publish();
    await world.main.feeder.round();
    expect(await waiting()).toBe(21);
    await world.deliver();
    const fresh = await world.query<{ id: string }>(`select id from event order by sequence desc limit 1`);
    expect(sentIds()).toContain(fresh[0]?.id);
  });

  it('fails again at a receiver that still fails, and counts it', async () => {
    status = 500;
    await addDeliveries(world, { endpointId, count: 3, status: 'dead_letter', responseStatus: 500 });
    const { id } = await order('recover', {});
    await world.main.feeder.round();
    await world.exhaust();
    await carryOut(id);
    expect(await jobOf(id)).toMatchObject({ status: 'done', sent: 3, delivered: 0, failed: 3 });
  });

  it('stays at the filter: endpoint, answer, type and dates', async () => {
    const other = await world.addEndpoint({ url: receiver.url });
    await addDeliveries(world, { endpointId, count: 4, status: 'dead_letter', responseStatus: 401, minutesAgo: 60 });
    await addDeliveries(world, { endpointId, count: 3, status: 'dead_letter', responseStatus: 500 });
    await addDeliveries(world, { endpointId, count: 2, status: 'dead_letter', responseStatus: 401, eventType: 'ping' });
    await addDeliveries(world, { endpointId: other.id, count: 5, status: 'dead_letter', responseStatus: 401 });
    const { id } = await order('recover', {
      endpoint_id: endpointId,
      response: '4xx',
      event_type: 'payment_intent.completed',
      created_gte: new Date(Date.now() - 62.5 * 60_000).toISOString(),
    });
    await carryOut(id);
    expect(await jobOf(id)).toMatchObject({ status: 'done', sent: 2, endpoints: 1 });
  });

  it('is one job though it is ordered twice at the same time, and another one under another filter', async () => {
    await addDeliveries(world, { endpointId, count: 3, status: 'dead_letter', responseStatus: 500 });
    const twice = await Promise.all([order('recover', { response: '5xx' }), order('recover', { response: '5xx' })]);
    expect(new Set(twice.map(({ id }) => id)).size).toBe(1);
    expect(twice.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect((await order('recover', {})).isNew).toBe(true);
    for (const { id } of twice) await carryOut(id);
    expect(receiver.requests).toHaveLength(3);
    expect((await order('recover', { response: '5xx' })).isNew).toBe(true);
  });

  it('sends everything once though several workers carry it out beside another job and a retry', async () => {
    await addDeliveries(world, { endpointId, count: 150, status: 'dead_letter', responseStatus: 500 });
    const [{ id: first } = { id: '' }] = await world.deliveries();
    const jobs = [await order('recover', {}), await order('resend', { response: '5xx' })];
    const processes = [world.main, world.newProcess(), world.newProcess()];
    await Promise.all([
      ...processes.map((process, n) => carryOut(jobs[n % 2]?.id ?? '', process)),
      world.retry(first).catch(() => undefined),
    ]);
    for (const { id } of jobs) await carryOut(id);
    expect(receiver.requests).toHaveLength(150);
    expect(await world.query(`select from delivery where series > 2`)).toEqual([]);
  });

  it('sends nothing more after a pause has committed, goes on after it, and nothing after a stop', async () => {
    await addDeliveries(world, { endpointId, count: 50, status: 'dead_letter', responseStatus: 500 });
    const { id } = await order('recover', {});
    await world.main.feeder.round();
    await move(id, 'paused');
    await world.deliver();
    expect(await world.main.feeder.round()).toBe(0);
    expect(receiver.requests).toHaveLength(20);
    await expect(move(id, 'paused')).rejects.toMatchObject({ code: 'invalid_state_transition' });
    await move(id, 'running');
    await world.main.feeder.round();
    await move(id, 'stopped');
    await world.deliver();
    expect(await world.main.feeder.round()).toBe(0);
    expect(receiver.requests).toHaveLength(40);
    expect(await jobOf(id)).toMatchObject({ status: 'stopped', sent: 40, delivered: 40 });
    await expect(move(id, 'running')).rejects.toMatchObject({ code: 'invalid_state_transition' });
  });

  it('does not begin at a disabled endpoint, and ends at one that is disabled meanwhile', async () => {
    const disabled = await world.addEndpoint({ url: receiver.url });
    await addDeliveries(world, { endpointId: disabled.id, count: 2, status: 'dead_letter', responseStatus: 500 });
    await addDeliveries(world, { endpointId, count: 30, status: 'dead_letter', responseStatus: 500 });
    await world.setEnabled(disabled.id, false);
    const { id } = await order('recover', {});
    await world.main.feeder.round();
    await world.deliver();
    await world.setEnabled(endpointId, false);
    await carryOut(id);
    const { job, targets } = await world.main.replays.get('sandbox', id);
    expect(job).toMatchObject({ status: 'done', sent: 20, endpoints: 1 });
    expect(targets).toMatchObject([{ endpointId, status: 'disabled', sent: 20, delivered: 20 }]);
  });
});

describe('a resend of staff', () => {
  it('sends a selection, also of delivered ones, and nothing else', async () => {
    await addDeliveries(world, { endpointId, count: 3, status: 'delivered', responseStatus: 200 });
    await addDeliveries(world, { endpointId, count: 3, status: 'dead_letter', responseStatus: 500 });
    const all = await world.deliveries();
    const chosen = [all[0], all[4]].map((one) => one?.id ?? '');
    const { id } = await order('resend', { delivery_ids: chosen });
    await carryOut(id);
    expect(await jobOf(id)).toMatchObject({ status: 'done', sent: 2, delivered: 2 });
    expect(sentIds()).toEqual([all[0]?.event_id ?? '', all[4]?.event_id ?? ''].toSorted((a, b) => (a < b ? -1 : 1)));
  });

  it('of one delivery is a finished job that names it', async () => {
    await addDeliveries(world, { endpointId, count: 1, status: 'delivered', responseStatus: 200 });
    const [{ id } = { id: '' }] = await world.deliveries();
    const by = { environment: 'sandbox', author: KIM, reason: 'asked for it' } as const;
    const { jobId, deliveryId } = await world.database.transaction((tx) => world.main.replays.resendOne(tx, by, id));
    await carryOut(jobId);
    expect(await jobOf(jobId)).toMatchObject({ status: 'done', sent: 1, delivered: 1 });
    const { delivery, series } = await world.main.overview.history('sandbox', deliveryId);
    expect(delivery).toMatchObject({ replayJobId: jobId, series: 2 });
    expect(series.map(({ id: one }) => one)).toEqual([id, deliveryId]);
  });
});

describe('sending missing events', () => {
  it('creates the deliveries that an endpoint was never owed, 20 at a time and once', async () => {
    await addDeliveries(world, { endpointId, count: 70, status: 'delivered', responseStatus: 200 });
    const late = await world.addEndpoint({ url: receiver.url });
    const { id } = await order('send_missing', { endpoint_id: late.id });
    await world.main.feeder.round();
    expect(await waiting()).toBe(20);
    await carryOut(id);
    expect(await jobOf(id)).toMatchObject({ status: 'done', sent: 70, delivered: 70 });
    expect(new Set(sentIds()).size).toBe(70);
    const again = await order('send_missing', { endpoint_id: late.id });
    await carryOut(again.id);
    expect(await jobOf(again.id)).toMatchObject({ sent: 0 });
  });

  it('is refused for an endpoint that is disabled or of the other environment', async () => {
    await world.setEnabled(endpointId, false);
    await expect(order('send_missing', { endpoint_id: endpointId })).rejects.toMatchObject({
      code: 'invalid_state_transition',
    });
    const live = await world.addEndpoint({}, { ...world.tenant, environment: 'live' });
    await expect(order('send_missing', { endpoint_id: live.id })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a preview', () => {
  it('counts what would be sent by endpoint, and warns', async () => {
    const disabled = await world.addEndpoint();
    await addDeliveries(world, { endpointId, count: 4, status: 'dead_letter', responseStatus: 401 });
    await addDeliveries(world, { endpointId, count: 6, status: 'delivered', responseStatus: 200 });
    await addDeliveries(world, { endpointId: disabled.id, count: 3, status: 'held', responseStatus: 500 });
    await world.setEnabled(disabled.id, false);
    expect(await world.main.previews.preview('sandbox', 'recover', {})).toMatchObject({
      sendable: 4,
      blocked: 3,
      warnings: ['endpoint_disabled', 'probably_wrong_secret'],
      endpoints: [
        { id: endpointId, count: 4, cause: '401', enabled: true },
        { id: disabled.id, count: 3, cause: '500', enabled: false },
      ],
    });
    expect(await world.main.previews.preview('sandbox', 'resend', { status: 'delivered' })).toMatchObject({
      sendable: 6,
      warnings: ['sends_delivered_again'],
    });
    expect(await world.main.previews.preview('sandbox', 'recover', { status: 'delivered' })).toMatchObject({
      sendable: 0,
      warnings: ['nothing_to_send'],
    });
    const late = await world.addEndpoint({ url: receiver.url });
    expect(await world.main.previews.preview('sandbox', 'send_missing', { endpoint_id: late.id })).toMatchObject({
      sendable: 13,
      warnings: [],
      isComplete: true,
    });
  });
});

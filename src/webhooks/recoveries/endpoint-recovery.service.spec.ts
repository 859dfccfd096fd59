import { eventuallyPasses } from '../../../test/support/eventually.js';
import { readByGenericPlan, readByPlan } from '../../../test/support/query-plan.js';
import { query } from '../../../test/support/sql.js';
import { type WebhookReceiver, WebhookWorld } from '../../../test/webhooks/webhook-world.js';
import { rows as run } from '../../platform/database/database.js';
import { compiled } from '../../platform/sql/sql.js';
import { takeTurn } from '../deliveries/delivery-claims.service.js';
import { resumeHeld } from '../deliveries/delivery-claims.sql.js';
import { nextDeliveries } from './endpoint-recovery.sql.js';
import { RECOVERED_STATUSES } from './webhook-recovery.entity.js';

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

const order = (since = new Date(0), id = endpointId) =>
  world.database.transaction((tx) => world.main.recoveries.order(tx, world.tenant, id, since));

const recoveries = (): Promise<{ status: string; recovered: number }[]> =>
  world.query(`select status, recovered from webhook_recovery order by created_at, id`);

/** Inserts deliveries of all endpoints as rows, without six failed attempts: each of an event `n` minutes old. */
async function addDeliveries(count: number, becoming: string): Promise<void> {
  await world.query(
    `insert into event (id, merchant_id, environment, type, resource_id, data, created_at)
     select 'evt_' || $2 || n, $1, 'sandbox', 'payment_intent.completed', 'pi_1', '{}', now() - n * interval '1 minute'
       from generate_series(1, $3::int) n`,
    [world.tenant.merchantId, becoming, count],
  );
  await world.query(`update webhook_endpoint set created_at = now() - interval '1 year'`);
  await world.main.relay.relay();
  const isWaiting = becoming === 'pending' || becoming === 'held';
  await world.query(
    `update delivery set status = $1, finished_at = case when $2 then null else now() end,
            due_at = now() + interval '10 minutes', attempts = case when $1 = 'dead_letter' then 6 else 1 end,
            created_at = event.created_at
       from event where event.id = delivery.event_id and event.id like 'evt_' || $1 || '%'`,
    [becoming, isWaiting],
  );
}

describe('a recovery', () => {
  it('sends dead-lettered and waiting deliveries once, and never delivered ones', async () => {
    await addDeliveries(3, 'dead_letter');
    await addDeliveries(2, 'pending');
    await addDeliveries(2, 'delivered');
    await order();
    await world.main.recoveries.execute();
    await world.deliver();
    expect(await recoveries()).toEqual([{ status: 'completed', recovered: 5 }]);
    const sent = receiver.requests.map(({ headers }) => String(headers['webhook-id'])).toSorted();
    expect(sent).toEqual(
      ['dead_letter1', 'dead_letter2', 'dead_letter3', 'pending1', 'pending2'].map((n) => `evt_${n}`),
    );
  });

  it('sends everything once though it is requested twice, and executed by several workers at once', async () => {
    await addDeliveries(1_203, 'dead_letter');
    await Promise.all([order(), order()]);
    await Promise.all([world.main, world.newProcess()].map(({ recoveries: service }) => service.execute()));
    expect((await recoveries()).map((one) => one.status)).toEqual(['completed', 'completed']);
    const rows = await world.query(
      `select series, status, superseded, count(*)::int from delivery group by 1, 2, 3 order by 1`,
    );
    expect(rows).toEqual([
      { series: 1, status: 'dead_letter', superseded: true, count: 1_203 },
      { series: 2, status: 'pending', superseded: false, count: 1_203 },
    ]);
    await order();
    await world.main.recoveries.execute();
    expect((await recoveries()).at(-1)).toEqual({ status: 'completed', recovered: 0 });
  });

  it('takes events from its time on, by their own time, and no other endpoint', async () => {
    const other = await world.addEndpoint();
    await addDeliveries(5, 'dead_letter');
    await world.query(`update delivery set created_at = now()`);
    await order(new Date(Date.now() - 3.5 * 60_000));
    await world.main.recoveries.execute();
    const begun = await world.query<{ event_id: string; endpoint_id: string }>(
      `select event_id, endpoint_id from delivery where series = 2 order by 1`,
    );
    expect(begun.map(({ event_id: event }) => event)).toEqual([1, 2, 3].map((n) => `evt_dead_letter${n}`));
    expect(begun.every((row) => row.endpoint_id === endpointId && row.endpoint_id !== other.id)).toBe(true);
  });

  it('sends the latest series alone', async () => {
    await addDeliveries(1, 'dead_letter');
    const [first] = await world.deliveries();
    status = 500;
    await world.retry(first?.id ?? '');
    await world.exhaust();
    await order();
    await world.main.recoveries.execute();
    expect((await world.deliveries()).map(({ series, status: now }) => [series, now])).toEqual([
      [1, 'dead_letter'],
      [2, 'dead_letter'],
      [3, 'pending'],
    ]);
  });

  it('leaves deliveries in flight and deliveries that are due already', async () => {
    await world.publish(2);
    await world.main.claims.claim({ total: 1, failing: 1 });
    const before = await world.query(`select * from delivery order by id`);
    await order();
    await world.main.recoveries.execute();
    expect(await world.query(`select * from delivery order by id`)).toEqual(before);
  });

  it.each<[what: string, end: () => Promise<unknown>]>([
    ['disabled', () => world.setEnabled(endpointId, false)],
    ['deleted', () => world.removeEndpoint(endpointId)],
  ])('stops when its endpoint is %s', async (_what, end) => {
    await addDeliveries(2, 'dead_letter');
    await order();
    await end();
    await world.main.recoveries.execute();
    expect(await recoveries()).toEqual([{ status: 'stopped', recovered: 0 }]);
    expect(await world.query(`select from delivery where series > 1`)).toEqual([]);
  });

  it('is carried out though an earlier one fails, which is tried again at the next call', async () => {
    await addDeliveries(2, 'dead_letter');
    await order();
    await world.query(`update webhook_recovery set reached_status = 'nonsense'`);
    await order();
    await world.main.recoveries.execute();
    expect(await recoveries()).toEqual([
      { status: 'queued', recovered: 0 },
      { status: 'completed', recovered: 2 },
    ]);
    await world.query(`update webhook_recovery set reached_status = 'dead_letter'`);
    await world.main.recoveries.execute();
    expect((await recoveries()).map((one) => one.status)).toEqual(['completed', 'completed']);
  });

  it('makes due a delivery that becomes pending during the walk, as when the endpoint is being enabled', async () => {
    await addDeliveries(3, 'held');
    await order();
    await query(
      world.home.owner,
      `
      create function released() returns trigger language plpgsql as $$
      begin update delivery set status = 'pending' where status = 'held'; return null; end $$`,
    );
    await query(
      world.home.owner,
      `
      create trigger released after update of reached_status on webhook_recovery
        for each statement execute function released()`,
    );
    await world.main.recoveries.execute();
    expect(await recoveries()).toEqual([{ status: 'completed', recovered: 3 }]);
    expect(await world.query(`select from delivery where due_at > now()`)).toEqual([]);
  });

  it('waits for an uncommitted batch of resumed deliveries, and makes it due', async () => {
    await addDeliveries(3, 'held');
    await world.query(`update webhook_endpoint set holds = true`);
    await order();
    let execution: Promise<void> = Promise.resolve();
    await world.database.transaction(async (tx) => {
      await takeTurn(tx);
      expect(await run(tx, resumeHeld(500))).toHaveLength(1);
      execution = world.main.recoveries.execute();
      const waiting = () =>
        world.query(
          `select from pg_locks where locktype = 'advisory' and not granted
              and database = (select oid from pg_database where datname = current_database())`,
        );
      await eventuallyPasses(async () => expect(await waiting()).toHaveLength(1));
    });
    await execution;
    expect(await recoveries()).toEqual([{ status: 'completed', recovered: 3 }]);
    expect(await world.query(`select from delivery where due_at > now()`)).toEqual([]);
  });

  it('is refused for an endpoint that is disabled, deleted or of another merchant', async () => {
    await world.setEnabled(endpointId, false);
    await expect(order()).rejects.toMatchObject({ code: 'invalid_state_transition' });
    const merchantId = await world.addMerchant();
    const foreign = await world.addEndpoint({}, { merchantId, environment: 'sandbox' });
    await expect(order(new Date(), foreign.id)).rejects.toMatchObject({ code: 'not_found' });
    await world.removeEndpoint(endpointId);
    await expect(order()).rejects.toMatchObject({ code: 'not_found' });
    expect(await recoveries()).toEqual([]);
  });

  it('walks along an index, batch by batch', async () => {
    await addDeliveries(2_000, 'delivered');
    await addDeliveries(200, 'dead_letter');
    await query(world.home.owner, `vacuum analyze`);
    const { id } = await order();
    for (const one of RECOVERED_STATUSES) {
      const { text, values } = compiled(nextDeliveries(one, id, 50));
      const { scans } = await readByGenericPlan(world.database, text, values);
      expect(scans).toContainEqual(
        expect.stringMatching(/ on delivery by delivery_(of_endpoint|dead_letters|endpoint_due|held)$/),
      );
      expect(scans).not.toContainEqual(expect.stringMatching(/^(Seq|Bitmap)/));
    }
  });

  it.each(RECOVERED_STATUSES)('reads no more than a batch of thousands of deliveries that are %s', async (waiting) => {
    await addDeliveries(4_000, waiting);
    await query(world.home.owner, `vacuum analyze`);
    const { id } = await order();
    for (const mode of ['custom', 'generic'] as const) {
      const { text, values } = compiled(nextDeliveries(waiting, id, 100));
      const { steps } = await readByPlan(mode, world.database, text, values);
      const locked = steps.filter(({ path }) => path.includes('LockRows'));
      expect(locked.length).toBeGreaterThan(1);
      expect(locked.filter(({ path, rows }) => rows > 100 || path.includes('Sort', path.indexOf('LockRows')))).toEqual(
        [],
      );
    }
  });
});

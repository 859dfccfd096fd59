import { eventually } from '../../../test/support/eventually.js';
import { query, queryOne } from '../../../test/support/sql.js';
import { WebhookWorld } from '../../../test/webhooks/webhook-world.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { compiled, type SqlText } from '../../platform/sql/sql.js';
import { claimDue, pollState } from './delivery-claims.sql.js';

const ALL = { total: 64, failing: 32 };
const BATCH = 10_000;

let world: WebhookWorld;
beforeEach(async () => {
  world = await WebhookWorld.open();
});
afterEach(() => world.close());

const claim = (slots = ALL): Promise<ClaimedDelivery[]> => world.main.claims.claim(slots);
const endpointsOf = (claimed: readonly ClaimedDelivery[]): string[] => claimed.map(({ endpoint }) => endpoint.id);

/** Adds an endpoint with `waiting` deliveries, the oldest one due since `dueSeconds`. */
async function addBacklog(waiting: number, { dueSeconds = 60, failing = false } = {}): Promise<string> {
  const { id } = await world.addEndpoint({}, { ...world.tenant, merchantId: await world.addMerchant() });
  if (failing) await world.query(`update webhook_endpoint set failing_since = now() where id = $1`, [id]);
  for (let from = 1; from <= waiting; from += BATCH) {
    const due = `now() - ${dueSeconds} * interval '1 second' + n * interval '1 ms'`;
    await addDeliveries(id, due, from, Math.min(waiting, from + BATCH - 1));
  }
  return id;
}

/** Adds deliveries number `from` to `to` of an endpoint, each of its own event. */
async function addDeliveries(endpointId: string, due: string, from: number, to: number): Promise<void> {
  await world.query(
    `with event_row as (
       insert into event (id, merchant_id, environment, type, resource_id, data, sequence, body)
       select 'evt_' || n || id, merchant_id, environment, 'ping', 'x', '{}', n, '{}'
         from webhook_endpoint cross join generate_series($2::int, $3::int) n where id = $1)
     insert into delivery (id, event_id, endpoint_id, merchant_id, environment, status, due_at)
     select 'dlv_' || n || id, 'evt_' || n || id, id, merchant_id, environment, 'pending', ${due}
       from webhook_endpoint cross join generate_series($2::int, $3::int) n where id = $1`,
    [endpointId, from, to],
  );
}

describe('DeliveryClaimsService', () => {
  it('leases at most 4 deliveries of an endpoint, the longest due first, and no more while these are in flight', async () => {
    const busy = await addBacklog(10);
    const claimed = await claim();
    expect(endpointsOf(claimed)).toEqual([busy, busy, busy, busy]);
    const oldest = await world.query<{ id: string }>(`select id from delivery order by due_at limit 4`);
    expect(claimed.map(({ id }) => id).toSorted()).toEqual(oldest.map(({ id }) => id).toSorted());
    expect(await claim()).toEqual([]);
    await world.query(
      `update delivery set lease_until = null, lease_holder = null, status = 'delivered',
      finished_at = now() where id = $1`,
      [claimed[0]?.id ?? ''],
    );
    expect(endpointsOf(await claim())).toEqual([busy]);
  });

  it('leases for longer than the receiver has to answer, so that no delivery is in flight twice', async () => {
    await addBacklog(1);
    await claim();
    // The receiver has 5 s in this world.
    const longer = await world.query(`select from delivery where lease_until > now() + interval '5 seconds'`);
    expect(longer).toHaveLength(1);
  });

  it('keeps to the limit per endpoint while many processes claim at once', async () => {
    for (let n = 0; n < 3; n++) await addBacklog(50);
    const claims = await Promise.all(Array.from({ length: 12 }, () => world.newProcess().claims.claim(ALL)));
    const perEndpoint = Map.groupBy(claims.flat(), ({ endpoint }) => endpoint.id);
    expect([...perEndpoint.values()].map((claimed) => claimed.length)).toEqual([4, 4, 4]);
    expect(new Set(claims.flat().map(({ id }) => id)).size).toBe(12);
  });

  it('sends one at a time to a failing endpoint, and to all failing endpoints no more than their share', async () => {
    for (let n = 0; n < 5; n++) await addBacklog(3, { failing: true });
    const healthy = await addBacklog(3, { dueSeconds: 1 });
    const claimed = await claim({ total: 64, failing: 2 });
    expect(claimed).toHaveLength(5);
    expect(claimed.filter(({ endpoint }) => endpoint.id === healthy)).toHaveLength(3);
    expect(new Set(endpointsOf(claimed)).size).toBe(3);
    expect(await claim({ total: 64, failing: 0 })).toEqual([]);
    expect(await claim({ total: 64, failing: 32 })).toHaveLength(3);
  });

  it('serves the oldest of every endpoint before the second oldest of any [J-139]', async () => {
    const flooded = await addBacklog(30, { dueSeconds: 3600 });
    const others = [await addBacklog(2), await addBacklog(2), await addBacklog(2)];
    expect(endpointsOf(await claim({ total: 4, failing: 0 })).toSorted()).toEqual([flooded, ...others].toSorted());
  });

  it('claims the deliveries of a crashed process again once its lease has ended', async () => {
    await addBacklog(1);
    const [first] = await claim();
    expect(await claim()).toEqual([]);
    await world.query(`update delivery set lease_until = now() - interval '1 ms'`);
    const [second] = await claim();
    expect(second).toMatchObject({ id: first?.id, attempt: 1 });
    expect(second?.leaseToken).not.toBe(first?.leaseToken);
  });

  it('leaves deliveries that are not due, and returns when the next will be', async () => {
    await addBacklog(2, { dueSeconds: -30 });
    expect(await claim()).toEqual([]);
    const { dueInMs, isDue } = await world.main.claims.pollState();
    expect(isDue).toBe(false);
    expect(dueInMs).toBeGreaterThan(20_000);
    expect(dueInMs).toBeLessThanOrEqual(30_010);
    await addBacklog(1);
    expect(await world.main.claims.pollState()).toMatchObject({ isDue: true });
    await claim();
    expect(await world.main.claims.pollState()).toMatchObject({ isDue: false });
    await query(world.home.owner, `delete from delivery`);
    expect(await world.main.claims.pollState()).toEqual({ isChanged: false, isDue: false, dueInMs: null });
  });

  it('cancels the backlog of a deleted endpoint, except deliveries in flight', async () => {
    const gone = await addBacklog(1203);
    const [underWay] = await claim({ total: 1, failing: 0 });
    const kept = await addBacklog(3);
    await world.query(`update webhook_endpoint set deleted_at = now() where id = $1`, [gone]);
    await world.main.claims.applyEndpointChanges();
    const states = await world.query<{ endpoint_id: string; status: string; count: string }>(
      `select endpoint_id, status, count(*) from delivery group by 1, 2 order by 1, 2`,
    );
    expect(states.map((row) => [row.endpoint_id, row.status, Number(row.count)])).toEqual([
      [gone, 'cancelled', 1202],
      [gone, 'pending', 1],
      [kept, 'pending', 3],
    ]);
    expect(underWay?.endpoint.id).toBe(gone);
  });

  it('pauses deliveries of disabled endpoints, resumes them when the endpoints are enabled, and cancels them when they are deleted', async () => {
    const [idle, gone, busy] = [await addBacklog(1203), await addBacklog(2), await addBacklog(1)];
    const disable = `update webhook_endpoint set enabled = false where id = any($1)`;
    const [underWay] = await claim({ total: 1, failing: 0 });
    await world.query(disable, [[idle, gone]]);
    const states = async (): Promise<string[]> => {
      const rows = await world.query<{ endpoint_id: string; status: string; n: string }>(
        `select endpoint_id, status, count(*) as n from delivery group by 1, 2 order by 1, 2`,
      );
      return rows.map((row) => `${[idle, gone, busy].indexOf(row.endpoint_id)} ${row.status} ${row.n}`).toSorted();
    };
    expect(await world.main.claims.pollState()).toMatchObject({ isChanged: true });
    await world.main.claims.applyEndpointChanges();
    expect(underWay?.endpoint.id).toBe(idle);
    expect(await states()).toEqual(['0 held 1202', '0 pending 1', '1 held 2', '2 pending 1']);
    await world.query(`update webhook_endpoint set enabled = true where id = $1`, [idle]);
    await world.query(`update webhook_endpoint set deleted_at = now() where id = $1`, [gone]);
    await world.main.claims.applyEndpointChanges();
    expect(await states()).toEqual(['0 pending 1203', '1 cancelled 2', '2 pending 1']);
    expect(await world.main.claims.pollState()).toMatchObject({ isChanged: false });
    // Disabled once more: the endpoint's `holds` is set again.
    await world.query(disable, [[idle]]);
    await world.query(`update delivery set lease_until = null, lease_holder = null`);
    await world.main.claims.applyEndpointChanges();
    await world.query(`update webhook_endpoint set enabled = true where id = $1`, [idle]);
    await world.main.claims.applyEndpointChanges();
    expect(await states()).toEqual(['0 pending 1203', '1 cancelled 2', '2 pending 1']);
  });

  it('reads no more for 1,000 disabled endpoints with a backlog each, once it is paused [J-139]', async () => {
    const busy = await addBacklog(1);
    await world.query(
      `insert into webhook_endpoint
       select (jsonb_populate_record(endpoint, jsonb_build_object('id', 'we_idle_' || n, 'enabled', false))).*
         from webhook_endpoint endpoint, generate_series(1, 1000) n`,
    );
    await world.query(
      `insert into delivery (id, event_id, endpoint_id, status, due_at)
       select 'dlv_' || endpoint.id, (select id from event limit 1), endpoint.id, 'pending', now()
         from webhook_endpoint endpoint where not enabled`,
    );
    const before = await pagesOfClaim();
    await world.main.claims.applyEndpointChanges();
    await query(world.home.owner, `vacuum analyze delivery`);
    expect(await pagesOfClaim()).toBeLessThan(before / 10);
    expect(endpointsOf(await claim())).toEqual([busy]);
  });

  it('reads no more for delivered deliveries, once a claim has passed them [J-139]', async () => {
    for (let n = 0; n < 20; n++) await addBacklog(1);
    // As one transaction of the relay creates them: due in the same millisecond, endpoint by endpoint.
    await world.query(
      `with event_row as (
         insert into event (id, merchant_id, environment, type, resource_id, data, sequence, body)
         select 'evt_old' || n || id, merchant_id, environment, 'ping', 'x', '{}', n, '{}'
           from webhook_endpoint cross join generate_series(2, 200) n)
       insert into delivery (id, event_id, endpoint_id, merchant_id, environment, status)
       select 'dlv_old' || n || id, 'evt_old' || n || id, id, merchant_id, environment, 'pending'
         from webhook_endpoint cross join generate_series(2, 200) n order by n`,
    );
    await world.query(
      `update delivery set lease_until = now() + interval '1 min', lease_holder = 'x' where id like 'dlv_old%'`,
    );
    await world.query(
      `update delivery set status = 'delivered', finished_at = now(), lease_until = null, lease_holder = null
        where id like 'dlv_old%'`,
    );
    // Dead rows are dropped once no transaction of another test can see them.
    await eventually(
      () => pagesOfClaim(),
      (seen) => seen < 2_000,
    );
  });

  it('reads few pages of an index, however large the backlog of one endpoint is [J-139]', async () => {
    const flooded = await addBacklog(100_000, { dueSeconds: 3600 });
    // The worst statistics for the planner: a single endpoint.
    await query(world.home.owner, `analyze delivery`);
    const others: string[] = [];
    for (let n = 0; n < 20; n++) others.push(await addBacklog(1));
    expect(await pagesOfClaim()).toBeLessThan(2_000);
    expect(await pagesOf(pollState)).toBeLessThan(1_000);
    const claimed = endpointsOf(await claim());
    expect(claimed.filter((id) => id === flooded)).toHaveLength(4);
    expect(claimed.filter((id) => id !== flooded).toSorted()).toEqual(others.toSorted());
  });
});

/** Returns the pages that a claim of everything touches. Nothing stays leased. */
const pagesOfClaim = (): Promise<number> => pagesOf(claimDue({ ...ALL, perEndpoint: 4 }, 15_000, 'token'));

/** Returns the pages that a statement touches, by the plan for any backlog. Nothing stays leased. */
function pagesOf(statement: SqlText): Promise<number> {
  return world.database.transaction(async (tx) => {
    await query(tx, `set local plan_cache_mode = force_generic_plan`);
    const { text, values } = compiled(statement);
    const { 'QUERY PLAN': plan } = await queryOne<{ 'QUERY PLAN': { Plan: PlanNode }[] | string }>(
      tx,
      `explain (analyze, buffers, format json) ${text}`,
      values,
    );
    const [{ Plan: top } = { Plan: {} as PlanNode }] = typeof plan === 'string' ? JSON.parse(plan) : plan;
    expect(scansOf(top)).not.toContain('Seq Scan on delivery');
    await query(tx, `update delivery set lease_until = null, lease_holder = null where lease_until is not null`);
    return top['Shared Hit Blocks'] + top['Shared Read Blocks'];
  });
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

function scansOf(node: PlanNode): string[] {
  return [`${node['Node Type']} on ${node['Relation Name'] ?? ''}`, ...(node.Plans ?? []).flatMap(scansOf)];
}

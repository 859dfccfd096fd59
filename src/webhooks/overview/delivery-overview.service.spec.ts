import { addDeliveries } from '../../../test/webhooks/many-deliveries.js';
import { readByPlan, type ReadByQuery } from '../../../test/support/query-plan.js';
import { query } from '../../../test/support/sql.js';
import { WebhookWorld } from '../../../test/webhooks/webhook-world.js';
import { DELIVERY_STATUSES } from '../../domain/delivery-status.js';
import { compiled, type SqlText } from '../../platform/sql/sql.js';
import { deadLettersByCause } from './delivery-causes.sql.js';
import { type DeliveryFilter, RESPONSE_CLASSES } from './delivery-filter.js';
import { countMatching, searchPage } from './delivery-search.sql.js';

let world: WebhookWorld;
let mine: string;
let foreign: string;
beforeAll(async () => {
  world = await WebhookWorld.open();
  const merchantId = await world.addMerchant();
  mine = (await world.addEndpoint({ url: 'https://shop.example/hooks' })).id;
  foreign = (await world.addEndpoint({}, { merchantId, environment: 'sandbox' })).id;
  const live = (await world.addEndpoint({}, { merchantId, environment: 'live' })).id;
  for (const endpointId of [mine, foreign, live]) {
    await addDeliveries(world, { endpointId, count: 4, status: 'dead_letter', responseStatus: 401 });
    await addDeliveries(world, { endpointId, count: 3, status: 'dead_letter', responseStatus: 500, minutesAgo: 20 });
    await addDeliveries(world, {
      endpointId,
      count: 2,
      status: 'dead_letter',
      errorCode: 'timeout',
      eventType: 'ping',
    });
    await addDeliveries(world, { endpointId, count: 3, status: 'pending', responseStatus: 503 });
    await addDeliveries(world, { endpointId, count: 2, status: 'held', errorCode: 'dns' });
    await addDeliveries(world, { endpointId, count: 5, status: 'delivered', responseStatus: 200 });
    await addDeliveries(world, { endpointId, count: 2, status: 'delivered', responseStatus: 204, eventType: 'ping' });
    await addDeliveries(world, { endpointId, count: 1, status: 'cancelled', responseStatus: 404 });
  }
});
afterAll(() => world.close());

const HUNDRED_DEEP = { limit: 100, after: undefined };

/** The same deliveries by one plain query over all rows. */
async function expected(filter: DeliveryFilter): Promise<string[]> {
  const found = await world.query<{ id: string }>(
    `select id from delivery
      where environment = 'sandbox' and not superseded
        and ($1::text is null or status = $1) and ($2::text is null or merchant_id = $2)
        and ($3::text is null or endpoint_id = $3) and ($4::text is null or event_type = $4)
        and ($5::text is null or event_id = $5) and ($7::timestamptz is null or created_at >= $7)
        and ($8::timestamptz is null or created_at < $8)
        and case $6::text when 'none' then last_error_code is not null
                          else $6 is null or last_response_status / 100 = left($6, 1)::int end
      order by created_at desc, id desc`,
    [
      filter.status ?? null,
      filter.merchant_id ?? null,
      filter.endpoint_id ?? null,
      filter.event_type ?? null,
      filter.event_id ?? null,
      filter.response ?? null,
      filter.created_gte ?? null,
      filter.created_lt ?? null,
    ],
  );
  return found.map(({ id }) => id);
}

/** Every combination of one value, or none, of each filter. */
function* combinations(): Generator<DeliveryFilter> {
  const dates = [
    {},
    { created_gte: new Date(Date.now() - 10.5 * 60_000) },
    { created_lt: new Date(Date.now() - 2.5 * 60_000) },
  ];
  for (const status of [undefined, ...DELIVERY_STATUSES]) {
    for (const response of [undefined, ...RESPONSE_CLASSES]) {
      for (const type of [undefined, 'ping' as const]) {
        for (const owner of [{}, { endpoint_id: mine }, { merchant_id: world.tenant.merchantId }]) {
          for (const window of dates) yield { status, response, event_type: type, ...owner, ...window };
        }
      }
    }
  }
}

describe('deliveries of an environment', () => {
  it('are those of one plain query, whatever the filters, and none of the other environment', async () => {
    let compared = 0;
    for (const filter of combinations()) {
      const found = await world.main.overview.page('sandbox', filter, HUNDRED_DEEP);
      expect([filter, found.map(({ id }) => id)]).toEqual([filter, await expected(filter)]);
      compared += 1;
    }
    expect(compared).toBe(6 * 6 * 2 * 3 * 3);
  });

  it('are found by their event, and not under the event of another environment', async () => {
    const [{ id, event_id: eventId } = { id: '', event_id: '' }] = await world.query<{ id: string; event_id: string }>(
      `select id, event_id from delivery where environment = 'live' limit 1`,
    );
    expect(await world.main.overview.page('live', { event_id: eventId }, HUNDRED_DEEP)).toMatchObject([{ id }]);
    expect(await world.main.overview.page('sandbox', { event_id: eventId }, HUNDRED_DEEP)).toEqual([]);
    await expect(world.main.overview.history('sandbox', id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(world.main.overview.page('sandbox', {}, { limit: 1, after: id })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('come page by page without a gap or a repetition, and in batches likewise', async () => {
    const whole = await expected({});
    const seen: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await world.main.overview.page('sandbox', {}, { limit: 7, after });
      seen.push(...page.slice(0, 7).map(({ id }) => id));
      if (page.length <= 7) break;
      after = seen.at(-1);
    }
    expect(seen).toEqual(whole);
    const exported: string[] = [];
    for await (const batch of world.main.overview.batches('sandbox', {}, 9)) {
      exported.push(...batch.map(({ id }) => id));
    }
    expect(exported).toEqual(whole.slice(0, 9));
  });
});

describe('dead letters by cause', () => {
  it('are one row for each endpoint and cause, with count, first and last, and the state of the endpoint', async () => {
    await world.query(`update webhook_endpoint set failing_since = now() where id = $1`, [mine]);
    const causes = await world.main.overview.causes('sandbox', 50);
    expect(
      causes
        .map(({ endpointId, cause, count }) => `${endpointId} ${cause} ${count}`)
        .toSorted((a, b) => (a < b ? -1 : 1)),
    ).toEqual(
      [mine, foreign]
        .flatMap((id) => [`${id} 401 4`, `${id} 500 3`, `${id} timeout 2`])
        .toSorted((a, b) => (a < b ? -1 : 1)),
    );
    const refused = causes.find(({ endpointId, cause }) => endpointId === mine && cause === '401');
    const [own] = await world.query<{ since: string; latest: string }>(
      `select min(created_at)::text as since, max(created_at)::text as latest from delivery
        where endpoint_id = $1 and status = 'dead_letter' and last_response_status = 401`,
      [mine],
    );
    expect(refused).toMatchObject({
      ...own,
      url: 'https://shop.example/hooks',
      enabled: true,
      disabledReason: null,
      failingSince: expect.any(String),
      merchantName: 'Merchant',
    });
    expect(causes.find(({ endpointId }) => endpointId === foreign)).toMatchObject({
      enabled: true,
      failingSince: null,
    });
  });

  it('stop counting at the maximum', async () => {
    const capped = await world.database.rows(deadLettersByCause('sandbox', { max: 3, limit: 10 }));
    expect(capped.map(({ count }) => count)).toEqual(['3', '3', '3', '3', '2', '2']);
  });
});

describe('the cause on a delivery', () => {
  it('is recorded with each attempt, and by a trigger for a process of the version before', async () => {
    const other = await WebhookWorld.open();
    try {
      let status = 401;
      const receiver = await other.receive((_request, response) => response.writeHead(status).end());
      await other.addEndpoint({ url: receiver.url });
      await other.publish();
      await other.deliver();
      const last = () => other.query(`select event_type, last_response_status, last_error_code from delivery`);
      expect(await last()).toEqual([
        { event_type: 'payment_intent.completed', last_response_status: 401, last_error_code: null },
      ]);
      status = 200;
      await other.skipWait();
      await other.deliver();
      expect(await last()).toMatchObject([{ last_response_status: 200 }]);
      const [{ id } = { id: '' }] = await other.deliveries();
      const retried = await other.retry(id);
      await other.query(`update delivery set attempts = 1, event_type = null where id = $1`, [retried]);
      await other.query(
        `insert into delivery_attempt (delivery_id, number, started_at, duration_ms, signed_at, error_code, error_message)
         values ($1, 1, now(), 1, 1, 'dns', 'x')`,
        [retried],
      );
      expect(await other.query(`select last_response_status, last_error_code from delivery where series = 2`)).toEqual([
        { last_response_status: null, last_error_code: 'dns' },
      ]);
      const [{ event_id: eventId, endpoint_id: endpointId } = { event_id: '', endpoint_id: '' }] =
        await other.deliveries();
      await other.query(
        `insert into delivery (id, event_id, endpoint_id, series, status) values ('dlv_old', $1, $2, 3, 'pending')`,
        [eventId, endpointId],
      );
      expect(await other.query(`select event_type from delivery where id = 'dlv_old'`)).toEqual([
        { event_type: 'payment_intent.completed' },
      ]);
    } finally {
      await other.close();
    }
  });
});

describe('with many deliveries', () => {
  /** What a statement read, in both plans. */
  async function readsOf(statement: SqlText): Promise<ReadByQuery[]> {
    const { text, values } = compiled(statement);
    const reads = [
      await readByPlan('custom', world.database, text, values),
      await readByPlan('generic', world.database, text, values),
    ];
    for (const { scans } of reads)
      expect(scans).not.toContainEqual(expect.stringMatching(/^Seq Scan on (delivery|event)/));
    return reads;
  }

  const readOf = async (statement: SqlText): Promise<number> =>
    Math.max(...(await readsOf(statement)).map(({ pages }) => pages));

  it('every filter reads along an index, the first page and a deep one', async () => {
    for (let n = 0; n < 20; n++) {
      const { id: endpointId } = await world.addEndpoint({});
      await addDeliveries(world, { endpointId, count: 1_000, status: 'delivered', responseStatus: 200, minutesAgo: n });
      await addDeliveries(world, { endpointId, count: 300, status: 'dead_letter', responseStatus: 500, minutesAgo: n });
    }
    await addDeliveries(world, { endpointId: mine, count: 500, status: 'pending', responseStatus: 500 });
    await query(world.home.owner, `vacuum analyze`);
    const [deep] = await world.query<{ id: string; createdAt: string }>(
      `select id, created_at::text as "createdAt" from delivery where environment = 'sandbox'
        order by created_at desc, id desc offset 20000 limit 1`,
    );
    const filters: DeliveryFilter[] = [
      {},
      ...DELIVERY_STATUSES.map((status) => ({ status })),
      ...RESPONSE_CLASSES.map((response) => ({ response })),
      { event_type: 'ping' },
      { merchant_id: world.tenant.merchantId },
      { endpoint_id: mine },
      { endpoint_id: mine, status: 'dead_letter' },
      { merchant_id: world.tenant.merchantId, status: 'dead_letter', response: '4xx' },
      { created_gte: new Date(Date.now() - 600_000) },
    ];
    for (const filter of filters) {
      for (const cursor of [null, deep ?? null]) {
        const statement = searchPage('sandbox', filter, { limit: 26, cursor });
        expect([filter, await readOf(statement ?? compiledNothing())]).toEqual([filter, expect.any(Number)]);
        expect(await readOf(statement ?? compiledNothing())).toBeLessThan(8_000);
      }
      const counted = countMatching('sandbox', filter, 10_001);
      await readOf(counted ?? compiledNothing());
    }
  });

  it('dead letters are counted and found by cause from their index alone', async () => {
    await addDeliveries(world, { endpointId: mine, count: 4_000, status: 'dead_letter', responseStatus: 500 });
    await query(world.home.owner, `vacuum analyze`);
    for (const { scans } of await readsOf(deadLettersByCause('sandbox', { max: 10_001, limit: 500 })))
      expect(scans.filter((scan) => / on delivery\b/.test(scan))).toEqual(
        scans.filter((scan) => scan.startsWith('Index Only Scan on delivery by delivery_dead_cause_counts')),
      );
    const rare: DeliveryFilter = { merchant_id: world.tenant.merchantId, status: 'dead_letter', response: '4xx' };
    // Without the causes, each of the merchant's 6,000 other dead letters would be looked at.
    expect(await readOf(searchPage('sandbox', rare, { limit: 26, cursor: null }) ?? compiledNothing())).toBeLessThan(
      500,
    );
  });
});

function compiledNothing(): never {
  throw new Error('The filter matches nothing.');
}

import { DELIVERY_STATUSES } from '../../domain/delivery-status.js';
import { readByGenericPlan } from '../../../test/support/query-plan.js';
import { query } from '../../../test/support/sql.js';
import { WebhookWorld } from '../../../test/webhooks/webhook-world.js';
import { compiled } from '../../platform/sql/sql.js';
import { deliveryPage } from './delivery-page.sql.js';
import type { DeliveryRow } from './delivery.presenter.js';
import type { ListDeliveriesQuery } from './delivery.schema.js';

const ROWS = 12_000;
const LIMIT = 19;

type Filter = Omit<ListDeliveriesQuery, 'limit' | 'starting_after'>;

interface StoredDelivery {
  readonly id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly status: string;
  readonly created_at: string;
}

let world: WebhookWorld;
let endpoints: string[];
let all: StoredDelivery[];

/** A month of deliveries to four endpoints, one deleted, one of another merchant; one in 500 of each status but delivered. */
beforeAll(async () => {
  world = await WebhookWorld.open();
  const merchantId = await world.addMerchant();
  await world.addEndpoint({}, { merchantId, environment: 'sandbox' });
  for (let n = 0; n < 3; n++) await world.addEndpoint();
  await world.query(
    `with endpoint as (select *, row_number() over (order by created_at, id) as place from webhook_endpoint),
     event_row as (
       insert into event (id, merchant_id, environment, type, resource_id, data, created_at, sequence, body)
       select 'evt_' || n, merchant_id, 'sandbox', 'payment_intent.completed', 'pi_1', '{}', now(), n, '{}'
         from generate_series(1, $1::int) n join endpoint on place = n % 4 + 1)
     insert into delivery (id, event_id, endpoint_id, status, created_at, due_at, finished_at)
     select 'dlv_' || lpad(n::text, 8, '0'), 'evt_' || n, endpoint.id, status, at, at,
            case when status in ('pending', 'held') then null else at end
       from (select n, now() - (($1::int - n) / 7) * interval '1 minute' as at,
                    coalesce((array['pending', 'held', 'dead_letter', 'cancelled'])[n / 4 % 500], 'delivered') as status
               from generate_series(1, $1::int) n) numbered
       join endpoint on place = n % 4 + 1`,
    [ROWS],
  );
  const mine = await world.query<{ id: string }>(`select id from webhook_endpoint where merchant_id = $1 order by id`, [
    world.tenant.merchantId,
  ]);
  endpoints = mine.map(({ id }) => id);
  await world.query(`update webhook_endpoint set deleted_at = now() where id = $1`, [endpoints[2] ?? '']);
  await query(world.home.owner, `vacuum analyze`);
  all = await world.query(`select * from delivery where merchant_id = $1 order by created_at desc, id desc`, [
    world.tenant.merchantId,
  ]);
}, 60_000);
afterAll(() => world.close());

const FILTERS: readonly (readonly [what: string, filter: () => Filter])[] = [
  ['nothing', () => ({})],
  ...DELIVERY_STATUSES.map((status) => [`the status ${status}`, () => ({ status })] as const),
  ['an endpoint', () => ({ endpoint_id: endpoints[1] })],
  ...DELIVERY_STATUSES.map(
    (status) => [`an endpoint and ${status}`, () => ({ endpoint_id: endpoints[0], status })] as const,
  ),
  ['an event', () => ({ event_id: all[4_000]?.event_id })],
  ['an event and its endpoint', () => ({ event_id: all[40]?.event_id, endpoint_id: all[40]?.endpoint_id })],
  [
    'dates and a status',
    () => ({ created_gte: new Date(Date.now() - 86_400_000), created_lt: new Date(), status: 'dead_letter' }),
  ],
];

function matches(row: StoredDelivery, filter: Filter): boolean {
  const at = new Date(row.created_at);
  return (
    (filter.status === undefined || row.status === filter.status) &&
    (filter.endpoint_id === undefined || row.endpoint_id === filter.endpoint_id) &&
    (filter.event_id === undefined || row.event_id === filter.event_id) &&
    (filter.created_gte === undefined || at >= filter.created_gte) &&
    (filter.created_lt === undefined || at < filter.created_lt)
  );
}

async function pagesOf(filter: Filter, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | undefined; ; after = ids.at(-1)) {
    const page = await world.main.reader.page(world.tenant, { ...filter, starting_after: after, limit });
    ids.push(...page.slice(0, limit).map(({ id }) => id));
    if (page.length <= limit) return ids;
  }
}

describe('the list of deliveries', () => {
  it.each(FILTERS)('by %s holds everything once, newest first, page by page', async (_what, filterOf) => {
    const filter = filterOf();
    const expected = all.filter((row) => matches(row, filter)).map(({ id }) => id);
    expect(expected.length).toBeGreaterThan(0);
    expect(await pagesOf(filter, expected.length > 1_000 ? 997 : 3)).toEqual(expected);
  });

  it.each(FILTERS)('by %s is read along indexes, the first page and a deep one alike', async (_what, filterOf) => {
    const filter = filterOf();
    const middle = all[all.length / 2];
    if (middle === undefined) throw new Error('There is no middle.');
    for (const cursor of [null, { id: middle.id, createdAt: middle.created_at }]) {
      const { text, values } = compiled(deliveryPage(world.tenant, { ...filter, limit: LIMIT }, cursor));
      const { scans, pages } = await readByGenericPlan(world.database, text, values);
      expect(scans).not.toContainEqual(expect.stringMatching(/^Seq Scan|^Bitmap/));
      expect(pages).toBeLessThan(600);
    }
  });

  it('is empty for an endpoint and an event of another merchant [B-20]', async () => {
    const [foreign] = await world.query<{ endpoint_id: string; event_id: string }>(
      `select endpoint_id, event_id from delivery where merchant_id <> $1 limit 1`,
      [world.tenant.merchantId],
    );
    const list = (filter: Filter): Promise<DeliveryRow[]> =>
      world.main.reader.page(world.tenant, { ...filter, limit: 9 });
    expect(await list({ endpoint_id: foreign?.endpoint_id })).toEqual([]);
    expect(await list({ event_id: foreign?.event_id })).toEqual([]);
    expect(await list({ event_id: all[0]?.event_id, endpoint_id: foreign?.endpoint_id })).toEqual([]);
  });

  it('covers all merchants for an operator, also of one environment', async () => {
    const found = await world.main.reader.page({}, { limit: 4 });
    expect(new Set(found.map((row) => row.merchantId)).size).toBe(2);
    expect(await world.main.reader.page({ environment: 'live' }, { limit: 4 })).toEqual([]);
  });
});

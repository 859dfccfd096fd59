import { place } from '../compiled.ts';
import { type DeliveriesTable, loadDeliveries } from '../deliveries-table.ts';
import { listFigure, listLatencies, readingKey } from '../list-latencies.ts';
import type { Figure } from '../report.ts';
import type { Stage } from '../stage.ts';

const LIMIT = 25;

interface Filter {
  readonly endpoint_id?: string;
  readonly status?: 'pending' | 'delivered' | 'dead_letter';
}

/** Measures the latency of lists of deliveries: the first page, and one in the middle of the list. */
export async function measureDeliveryLists(
  stage: Stage,
  { rows, requests }: { rows: number; requests: number },
): Promise<Figure[]> {
  const table = await loadDeliveries(stage, rows);
  const apiKey = await readingKey(stage, table.merchantId);
  const figures: Figure[] = [];
  for (const [name, filter] of filtersOf(table)) {
    const query = new URLSearchParams({
      ...(filter.endpoint_id !== undefined && { endpoint_id: filter.endpoint_id }),
      ...(filter.status !== undefined && { status: filter.status }),
    });
    const deep = await middleOf(stage, table, filter);
    await assertIndexed(stage, table, filter, deep);
    const path = `/v1/deliveries?${query.toString()}`;
    figures.push(
      listFigure(`deliveries, ${name}`, await listLatencies(stage, { apiKey, path, deepId: deep.id, requests })),
    );
  }
  return figures;
}

const filtersOf = ({ endpointId }: DeliveriesTable): readonly (readonly [string, Filter])[] => [
  ['all', {}],
  ['dead letters', { status: 'dead_letter' }],
  ['endpoint', { endpoint_id: endpointId }],
  ['endpoint and delivered', { endpoint_id: endpointId, status: 'delivered' }],
  ['endpoint and dead letters', { endpoint_id: endpointId, status: 'dead_letter' }],
  ['endpoint and waiting', { endpoint_id: endpointId, status: 'pending' }],
];

interface Middle {
  readonly id: string;
  readonly created_at: string;
}

/** The delivery in the middle of the filtered list. */
async function middleOf(
  stage: Stage,
  { merchantId }: DeliveriesTable,
  { endpoint_id: endpointId, status }: Filter,
): Promise<Middle> {
  const [row] = await stage.query<Middle>(
    `select id, created_at::text from (
       select id, created_at, row_number() over (order by created_at desc, id desc) as place, count(*) over () as total
         from delivery
        where merchant_id = $1 and ($2::text is null or endpoint_id = $2) and ($3::text is null or status = $3)) listed
      where place = (total + 1) / 2`,
    [merchantId, endpointId ?? null, status ?? null],
  );
  if (row === undefined) throw new Error('No delivery matches.');
  return row;
}

/** Checks that the plans of the service's statement, for these values and for any, read only along indexes. */
async function assertIndexed(stage: Stage, table: DeliveriesTable, filter: Filter, middle: Middle): Promise<void> {
  const { deliveryPage }: typeof import('../../src/webhooks/deliveries/delivery-page.sql.js') = await import(
    place('webhooks/deliveries/delivery-page.sql.js')
  );
  const scope = { merchantId: table.merchantId, environment: 'sandbox' } as const;
  const { compiled }: typeof import('../../src/platform/sql/sql.js') = await import(place('platform/sql/sql.js'));
  for (const cursor of [null, { id: middle.id, createdAt: middle.created_at }]) {
    const { text, values: parameters } = compiled(deliveryPage(scope, { ...filter, limit: LIMIT }, cursor));
    for (const [explain, values] of [
      ['explain', parameters],
      ['explain (generic_plan)', []],
    ] as const) {
      const rows = await stage.query<{ 'QUERY PLAN': string }>(`${explain} ${text}`, values);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      if (/Seq Scan on (delivery|event)|Bitmap/.test(plan)) throw new Error(`A list reads a whole table:\n${plan}`);
    }
  }
}

import { place } from '../compiled.ts';
import { loadEvents } from '../events-table.ts';
import { listFigure, listLatencies, readingKey } from '../list-latencies.ts';
import type { Figure } from '../report.ts';
import type { Stage } from '../stage.ts';

const { eventPage }: typeof import('../../src/events/event-page.sql.js') = await import(
  place('events/event-page.sql.js')
);
const { compiled }: typeof import('../../src/platform/sql/sql.js') = await import(place('platform/sql/sql.js'));

const DAY_MS = 86_400_000;
const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);

/** The dates span most of the table, so that the page in the middle is far from both ends. */
const DATES = { created_gte: daysAgo(350), created_lt: daysAgo(10) };
const RARE = { event_type: 'payment_intent.failed' } as const;

const FILTERS = [
  { name: 'unfiltered', filter: {} },
  { name: 'ascending', filter: { after_sequence: 0 } },
  { name: 'rare type', filter: RARE },
  { name: 'dates', filter: DATES },
  { name: 'dates and rare type', filter: { ...DATES, ...RARE } },
  { name: 'dates and rare type, ascending', filter: { ...DATES, ...RARE, after_sequence: 0 } },
] as const;

type Filter = (typeof FILTERS)[number]['filter'];

/** Measures the latency of lists among a million events, on one connection: the first page, and one in the middle. */
export async function measureEventLists(
  stage: Stage,
  { rows, requests }: { rows: number; requests: number },
): Promise<Figure[]> {
  const merchantId = await loadEvents(stage, rows);
  const apiKey = await readingKey(stage, merchantId);
  const figures: Figure[] = [];
  for (const { name, filter } of FILTERS) {
    const middle = await middleOf(stage, merchantId, filter);
    await expectWalk(stage, merchantId, filter, middle.sequence);
    const path = `/v1/events?${queryOf(filter)}`;
    const latencies = await listLatencies(stage, { apiKey, path, deepId: middle.id, requests });
    figures.push(listFigure(`events, ${name}`, latencies));
  }
  return figures;
}

function queryOf(filter: Filter): string {
  const texts = Object.entries(filter).map(([name, value]): [string, string] => [
    name,
    value instanceof Date ? value.toISOString() : String(value),
  ]);
  return new URLSearchParams(texts).toString();
}

/** The event in the middle of the filtered list. */
async function middleOf(stage: Stage, merchantId: string, filter: Filter): Promise<{ id: string; sequence: string }> {
  const { created_gte: from = new Date(0), created_lt: until = new Date() } = Object(filter);
  const type: string | null = Object(filter).event_type ?? null;
  const [row] = await stage.query<{ id: string; sequence: string }>(
    `select id, sequence from (
       select id, sequence, row_number() over (order by sequence) as place, count(*) over () as total from event
        where merchant_id = $1 and created_at >= $2 and created_at < $3 and ($4::text is null or type = $4)) listed
      where place = (total + 1) / 2`,
    [merchantId, from, until, type],
  );
  if (row === undefined) throw new Error('No event matches.');
  return row;
}

/** @throws Error when the plan of the service's statement sorts its page, or scans the table. */
async function expectWalk(stage: Stage, merchantId: string, filter: Filter, cursor: string): Promise<void> {
  for (const after of [null, cursor]) {
    const page = compiled(eventPage({ merchantId, environment: 'sandbox' }, { limit: 25, ...filter }, after));
    const lines = await stage.query<{ 'QUERY PLAN': string }>(`explain ${page.text}`, [...page.values]);
    const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
    if (/Seq Scan on event\b|Sort/.test(plan)) throw new Error(`The plan does not follow the sequence:\n${plan}`);
  }
}

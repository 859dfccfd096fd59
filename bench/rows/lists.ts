import { newId } from '../compiled.ts';
import { explainList } from '../explain-list.ts';
import { loadIntents } from '../intents-table.ts';
import { listFigure, listLatencies, readingKey } from '../list-latencies.ts';
import { LIST_FILTERS, type ListFilter } from '../list-filters.ts';
import type { Figure } from '../report.ts';
import type { Stage } from '../stage.ts';
import { measureFinding } from './finding.ts';

/**
 * Measures the latency of lists among a million intents, on one connection: the first page, one in the middle of the list,
 * and look-ups.
 */
export async function measureLists(
  stage: Stage,
  { rows, requests }: { rows: number; requests: number },
): Promise<Figure[]> {
  const big = newId('mer_');
  const small = newId('mer_');
  await loadIntents(stage, { rows, big, small });
  const figures: Figure[] = [];
  for (const [size, merchantId] of Object.entries({ big, small })) {
    const apiKey = await readingKey(stage, merchantId);
    for (const filter of LIST_FILTERS) {
      const deepId = await middleOf(stage, merchantId, filter);
      await explainList(stage, merchantId, filter);
      const path = `/v1/payment-intents?${filter.query}`;
      const latencies = await listLatencies(stage, { apiKey, path, deepId, requests });
      figures.push(listFigure(`list, ${size} merchant, ${filter.name}`, latencies));
    }
  }
  return [...figures, ...(await measureFinding(stage, { rows, requests, merchantId: big }))];
}

/** The intent in the middle of the filtered list. */
async function middleOf(stage: Stage, merchantId: string, { name, conditions }: ListFilter): Promise<string> {
  const values = conditions.map(([, value]) => value);
  const where = ['merchant_id = $1', ...conditions.map(([condition], n) => condition.replace('?', `$${n + 2}`))];
  const [row] = await stage.query<{ id: string }>(
    `select id from (
       select id, row_number() over (order by created_at desc, id desc) as place, count(*) over () as total
         from payment_intent where ${where.join(' and ')}) listed
      where place = (total + 1) / 2`,
    [merchantId, ...values],
  );
  if (row === undefined) throw new Error(`No intent matches "${name}".`);
  return row.id;
}

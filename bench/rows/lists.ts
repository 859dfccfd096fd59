import { Client } from 'undici';
import { hashApiKey, newApiKey, newId } from '../compiled.ts';
import { median } from '../duel.ts';
import { explainList } from '../explain-list.ts';
import { loadIntents } from '../intents-table.ts';
import { LIST_FILTERS, type ListFilter } from '../list-filters.ts';
import type { Figure } from '../report.ts';
import type { Stage } from '../stage.ts';

const MEDIAN_MAX_MS = 10;
const RATIO_MAX = 2;
const WARM_UP = 10;

/** Latency of lists among a million intents, on one connection: the first page, and one in the middle of the list. */
export async function measureLists(
  stage: Stage,
  { rows, requests }: { rows: number; requests: number },
): Promise<Figure[]> {
  const big = newId('mer_');
  const small = newId('mer_');
  await loadIntents(stage, { rows, big, small });
  const figures: Figure[] = [];
  for (const [size, merchantId] of Object.entries({ big, small })) {
    const apiKey = await keyFor(stage, merchantId);
    for (const filter of LIST_FILTERS) {
      const deepId = await middleOf(stage, merchantId, filter);
      await explainList(stage, merchantId, filter);
      const [first, deep] = await latencies(stage, apiKey, filter.query, deepId, requests);
      figures.push(figureOf(`list, ${size} merchant, ${filter.name}`, first, deep));
    }
  }
  return figures;
}

function figureOf(name: string, first: number, deep: number): Figure {
  const ratio = Math.max(first / deep, deep / first);
  return {
    name,
    measured: `page 1 ${first.toFixed(1)} ms, deep ${deep.toFixed(1)} ms`,
    limit: `< ${MEDIAN_MAX_MS} ms, within ${RATIO_MAX}x`,
    isMet: Math.max(first, deep) < MEDIAN_MAX_MS && ratio <= RATIO_MAX,
  };
}

async function keyFor(stage: Stage, merchantId: string): Promise<string> {
  const key = newApiKey('sandbox');
  await stage.query(
    `insert into api_key (id, merchant_id, environment, key_hash, last4, scopes)
     values ($1, $2, 'sandbox', $3, $4, '{read}')`,
    [newId('key_'), merchantId, hashApiKey(key), key.slice(-4)],
  );
  return key;
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

/** Median latencies of the first and of the deep page, asked in turns. */
async function latencies(
  stage: Stage,
  apiKey: string,
  query: string,
  deepId: string,
  requests: number,
): Promise<readonly [first: number, deep: number]> {
  const client = new Client(stage.service.url);
  const ask = async (path: string): Promise<number> => {
    const startedAt = performance.now();
    const answer = await client.request({ method: 'GET', path, headers: { authorization: `Bearer ${apiKey}` } });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
    return performance.now() - startedAt;
  };
  const first = `/v1/payment-intents?${query}`;
  const deep = `${first}&starting_after=${deepId}`;
  const times = { first: [] as number[], deep: [] as number[] };
  for (let n = 0; n < requests + WARM_UP; n++) {
    const [firstMs, deepMs] = [await ask(first), await ask(deep)];
    if (n < WARM_UP) continue;
    times.first.push(firstMs);
    times.deep.push(deepMs);
  }
  await client.close();
  return [median(times.first), median(times.deep)];
}

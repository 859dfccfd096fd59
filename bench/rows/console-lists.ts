import { startChild } from '../child.ts';
import { newId } from '../compiled.ts';
import { type ConsoleList, deliveryLists, intentLists, type Place, type Statement } from '../console-filters.ts';
import { ConsoleSession } from '../console-session.ts';
import { loadDeliveries } from '../deliveries-table.ts';
import { quantile } from '../duel.ts';
import { loadIntents } from '../intents-table.ts';
import type { Figure } from '../report.ts';
import type { Stage } from '../stage.ts';
import type { WritesResult } from '../writes.ts';

const MEDIAN_MAX_MS = 50;
const P95_MAX_MS = 150;
const WRITES_PER_SECOND = 200;
/** Below this share of the wanted pace, the lists were not measured under it. */
const WRITES_SHARE_MIN = 0.95;
const DEAD_PER_THOUSAND = 100;
const WARM_UP = 3;

interface Sizes {
  readonly rows: number;
  readonly requests: number;
}

/**
 * Measures every filter of the console's lists, first page and one in the middle, among a million intents and a million
 * deliveries, a tenth of them dead letters, while intents are created.
 */
export async function measureConsoleLists(stage: Stage, { rows, requests }: Sizes): Promise<Figure[]> {
  const [big, small] = [newId('mer_'), newId('mer_')];
  await loadIntents(stage, { rows, big, small });
  const table = await loadDeliveries(stage, rows, DEAD_PER_THOUSAND);
  const lists = [...(await intentLists(small)), ...(await deliveryLists(table))];
  const deep = new Map<ConsoleList, Place>();
  for (const list of lists) {
    deep.set(list, await middleOf(stage, list));
    await assertIndexed(stage, list, deep.get(list) ?? null);
  }
  const session = await ConsoleSession.open(stage.service);
  const { url, apiKey } = stage.service;
  const writes = startChild('writes.ts', url, apiKey, String(WRITES_PER_SECOND));
  try {
    await writes.next();
    const figures = [await measured('dead letters by endpoint and cause', session, ['/dead-letters'], requests)];
    for (const list of lists) {
      const first = `${list.path}?${new URLSearchParams(list.query).toString()}`;
      const paths = [first, `${first}&starting_after=${deep.get(list)?.id}`];
      figures.push(await measured(list.name, session, paths, requests));
    }
    return [...figures, await writesFigure(writes)];
  } finally {
    await Promise.all([writes.end(), session.close()]);
  }
}

/** Asks for these pages in turns. */
async function measured(
  name: string,
  session: ConsoleSession,
  paths: readonly string[],
  requests: number,
): Promise<Figure> {
  const times = paths.map((): number[] => []);
  for (let n = 0; n < requests + WARM_UP; n += 1) {
    for (const [nth, path] of paths.entries()) {
      const { ms } = await session.ask('GET', path);
      if (n >= WARM_UP) times[nth]?.push(ms);
    }
  }
  const medians = times.map((taken) => quantile(taken, 0.5));
  const p95s = times.map((taken) => quantile(taken, 0.95));
  const shown = medians.map((ms, nth) => `${ms.toFixed(0)} / ${(p95s[nth] ?? 0).toFixed(0)} ms`);
  return {
    name: `console: ${name}`,
    measured: shown.length === 1 ? `${shown[0]}` : `page 1 ${shown[0]}, deep ${shown[1]}`,
    limit: `median < ${MEDIAN_MAX_MS} ms, p95 < ${P95_MAX_MS} ms`,
    isMet: Math.max(...medians) < MEDIAN_MAX_MS && Math.max(...p95s) < P95_MAX_MS,
  };
}

async function writesFigure(writes: ReturnType<typeof startChild>): Promise<Figure> {
  writes.send({});
  const { perSecond, failure } = await writes.next<WritesResult>();
  if (failure !== null) throw new Error(failure);
  return {
    name: 'console: intents created meanwhile',
    measured: `${perSecond.toFixed(0)}/s`,
    limit: `>= ${WRITES_SHARE_MIN} of ${WRITES_PER_SECOND}/s`,
    isMet: perSecond >= WRITES_SHARE_MIN * WRITES_PER_SECOND,
  };
}

/** The row in the middle of the filtered list. */
async function middleOf(stage: Stage, { name, table, where }: ConsoleList): Promise<Place> {
  const [row] = await stage.query<Place>(
    `select id, created_at::text as "createdAt" from (
       select id, created_at, row_number() over (order by created_at desc, id desc) as place, count(*) over () as total
         from ${table} where environment = 'sandbox' and ${where}) listed
      where place = (total + 1) / 2`,
  );
  if (row === undefined) throw new Error(`No row matches "${name}".`);
  return row;
}

/** @throws Error when a page reads a table of facts from its beginning to its end, for these values or for any */
async function assertIndexed(stage: Stage, { name, page }: ConsoleList, middle: Place | null): Promise<void> {
  const isScan = /Seq Scan on (payment_intent|delivery|delivery_attempt|event)\b/;
  for (const { text, values } of [page(null), page(middle)] satisfies Statement[]) {
    for (const [explain, given] of [
      ['explain', values],
      ['explain (generic_plan)', []],
    ] as const) {
      const rows = await stage.query<{ 'QUERY PLAN': string }>(`${explain} ${text}`, given);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      if (isScan.test(plan)) throw new Error(`The list "${name}" reads a whole table:\n${plan}`);
    }
  }
}

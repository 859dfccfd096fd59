import { newId } from '../compiled.ts';
import { type ConsoleView, measureViews } from '../console-figures.ts';
import { type ConsoleList, deliveryLists, intentLists, type Place, type Statement } from '../console-filters.ts';
import { ConsoleSession } from '../console-session.ts';
import { loadDeliveries } from '../deliveries-table.ts';
import { loadIntents } from '../intents-table.ts';
import type { Figure } from '../report.ts';
import type { Stage } from '../stage.ts';

const DEAD_PER_THOUSAND = 100;

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
  const views = lists.map((list): ConsoleView => {
    const first = `${list.path}?${new URLSearchParams(list.query).toString()}`;
    return { name: list.name, paths: [first, `${first}&starting_after=${deep.get(list)?.id}`] };
  });
  const session = await ConsoleSession.open(stage.service);
  try {
    const causes = { name: 'dead letters by endpoint and cause', paths: ['/dead-letters'] };
    return await measureViews(stage, session, [causes, ...views], requests);
  } finally {
    await session.close();
  }
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

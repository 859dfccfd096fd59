import type { ListFilter } from './list-filters.ts';
import type { Stage } from './stage.ts';

const PAGE = 26;

/** Prints the plans of a filtered list, first page and deep one, when they scan the table or sort. */
export async function explainList(stage: Stage, merchantId: string, filter: ListFilter): Promise<void> {
  for (const isDeep of [false, true]) {
    const values = [merchantId, 'sandbox', ...filter.conditions.map(([, value]) => value)];
    const where = ['merchant_id = ?', 'environment = ?', ...filter.conditions.map(([condition]) => condition)];
    if (isDeep) {
      where.push('(created_at, id) < (?, ?)');
      values.push(new Date().toISOString(), 'pi_z');
    }
    let place = 0;
    const statement = `select * from payment_intent where ${where.join(' and ')}
      order by created_at desc, id desc limit ${PAGE}`.replaceAll('?', () => `$${++place}`);
    // The custom plan of the first executions, and the generic plan that PostgreSQL may switch to.
    print(filter.name, await plan(stage, `explain ${statement}`, values));
    print(filter.name, await plan(stage, `explain (generic_plan) ${statement}`, []));
  }
}

async function plan(stage: Stage, text: string, values: readonly string[]): Promise<string> {
  const rows = await stage.query<{ 'QUERY PLAN': string }>(text, values);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

function print(name: string, lines: string): void {
  if (/Seq Scan|Sort/.test(lines)) console.log(`Plan of the list "${name}":\n${lines}\n`);
}

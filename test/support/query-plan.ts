import { type Database } from '../../src/platform/database/database.js';
import { compiled, type SqlParameter, type SqlText } from '../../src/platform/sql/sql.js';
import { query, queryOne } from './sql.js';

/** The reads of one run of a statement. */
export interface ReadByQuery {
  /** Pages of 8 kB, from memory or disk. */
  readonly pages: number;
  /** Each way a table was read, such as `Seq Scan on deposit` or `Index Scan on deposit by deposit_seen`. */
  readonly scans: readonly string[];
  /** The rows that the planner expected. */
  readonly foreseen: number;
  /** Each step of the plan with its parents, such as `Limit > Sort > Index Scan`, and the rows it returned. */
  readonly steps: readonly { readonly path: string; readonly rows: number }[];
}

/** Planned for the actual parameters, like the first executions, or for any parameters. */
export type PlanMode = 'custom' | 'generic';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Plan Rows': number;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: PlanNode[];
}

/** Runs a statement with its generic plan, which a long-lived connection uses in the end. */
export function readByGenericPlan(
  database: Database,
  statement: string,
  parameters: readonly SqlParameter[],
): Promise<ReadByQuery> {
  return readByPlan('generic', database, statement, parameters);
}

/** The same for a typed statement. */
export function readTypedByGenericPlan(database: Database, statement: SqlText): Promise<ReadByQuery> {
  const { text, values } = compiled(statement);
  return readByGenericPlan(database, text, values);
}

/** Runs a statement with a plan of this mode. */
export function readByPlan(
  mode: PlanMode,
  database: Database,
  statement: string,
  parameters: readonly SqlParameter[],
): Promise<ReadByQuery> {
  return database.transaction(async (tx) => {
    await query(tx, `set local plan_cache_mode = force_${mode}_plan`);
    const { 'QUERY PLAN': plan } = await queryOne<{ 'QUERY PLAN': { Plan: PlanNode }[] | string }>(
      tx,
      `explain (analyze, buffers, format json) ${statement}`,
      parameters,
    );
    const [{ Plan: top } = { Plan: {} as PlanNode }]: { Plan: PlanNode }[] =
      typeof plan === 'string' ? JSON.parse(plan) : plan;
    return {
      pages: top['Shared Hit Blocks'] + top['Shared Read Blocks'],
      scans: scansOf(top),
      foreseen: top['Plan Rows'],
      steps: stepsOf(top),
    };
  });
}

function stepsOf(node: PlanNode, above = ''): { path: string; rows: number }[] {
  const path = `${above}${node['Node Type']}`;
  const rows = node['Actual Rows'] * node['Actual Loops'];
  return [{ path, rows }, ...(node.Plans ?? []).flatMap((inner) => stepsOf(inner, `${path} > `))];
}

function scansOf(node: PlanNode): string[] {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index } = node;
  const own = table === undefined ? [] : [`${type} on ${table}${index === undefined ? '' : ` by ${index}`}`];
  return [...own, ...(node.Plans ?? []).flatMap(scansOf)];
}

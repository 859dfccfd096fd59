import { readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { ApiProcess } from './api-process.ts';
import { ConsoleSession } from './console-session.ts';
import type { Stage } from './stage.ts';

/** Smaller tables are read at once, whichever way. */
const LARGE_ROWS = 5_000;
/** An index reads what is asked for. More than this share of a large table is a scan of it, whatever it is called. */
const SHARE_MAX = 0.1;
const APPLICATION = 'coffer-bench-plans';
const RELOAD_MS = 200;

const planNode = z.object({
  'Node Type': z.string(),
  'Relation Name': z.string().optional(),
  'Actual Rows': z.number(),
  'Actual Loops': z.number(),
  'Rows Removed by Filter': z.number().optional(),
  get Plans() {
    return z.array(planNode).optional();
  },
});
type PlanNode = z.infer<typeof planNode>;
const logged = z.object({ 'Query Text': z.string(), Plan: planNode });

/**
 * One more api process, for whose statements PostgreSQL logs the plans that it took, with the rows that they read
 * (auto_explain). So it is the service that is judged, with its settings and every statement of a request, and not a copy of
 * some of them.
 */
export class PlanLog {
  private readonly stage: Stage;
  private readonly api: ApiProcess;
  private readonly session: ConsoleSession;
  /** Rows of the large tables, by their names. */
  private readonly large: ReadonlyMap<string, number>;

  private constructor(stage: Stage, api: ApiProcess, session: ConsoleSession, large: ReadonlyMap<string, number>) {
    this.stage = stage;
    this.api = api;
    this.session = session;
    this.large = large;
  }

  /** Tables are large by their statistics, so they must be filled and analyzed before. */
  static async open(stage: Stage): Promise<PlanLog> {
    const tables = await stage.query<{ name: string; rows: number }>(
      `select relname as name, reltuples::int as rows from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace and reltuples >= ${LARGE_ROWS}`,
    );
    // Connections of the other process that are opened meanwhile get it too, and are left out by their name.
    for (const [name, value] of SETTINGS) await stage.query(`alter role coffer_service set ${name} = ${value}`);
    await stage.query(`alter system set log_line_prefix = '%m [%p] %a '`);
    await stage.query('select pg_reload_conf()');
    await sleep(RELOAD_MS);
    const api = await stage.startApi({ PGAPPNAME: APPLICATION });
    const session = await ConsoleSession.open({ url: api.url, admin: stage.service.admin });
    return new PlanLog(stage, api, session, new Map(tables.map(({ name, rows }) => [name, rows])));
  }

  /** @throws Error with the statements of all answers that read much of a large table */
  async assertIndexed(paths: readonly string[]): Promise<void> {
    const faults: string[] = [];
    for (const path of paths) faults.push(...(await this.scansOf(path)).map((scan) => `${path} ${scan}`));
    if (faults.length > 0) throw new Error(faults.join('\n\n'));
  }

  async close(): Promise<void> {
    await this.session.close();
    await this.api.stop();
    await this.stage.query('alter role coffer_service reset all');
    await this.stage.query('alter system reset log_line_prefix');
    await this.stage.query('select pg_reload_conf()');
  }

  private async scansOf(path: string): Promise<string[]> {
    const from = statSync(this.stage.databaseLog).size;
    await this.session.ask('GET', path);
    const plans = plansIn(readFileSync(this.stage.databaseLog).subarray(from).toString());
    if (plans.length === 0) throw new Error(`PostgreSQL logged no plan for ${path}.`);
    return plans.flatMap(({ 'Query Text': text, Plan: root }) =>
      nodesOf(root).flatMap((node) => {
        const table = node['Relation Name'] ?? '';
        const rows = this.large.get(table);
        if (rows === undefined) return [];
        const read = readBy(node);
        if (!node['Node Type'].endsWith('Seq Scan') && read <= SHARE_MAX * rows) return [];
        return [`reads ${read} of the ${rows} rows of ${table} (${node['Node Type']}):\n${text}`];
      }),
    );
  }
}

/** Only the service's role: the owner fills the tables. */
const SETTINGS = [
  ['session_preload_libraries', `'auto_explain'`],
  ['auto_explain.log_min_duration', '0'],
  ['auto_explain.log_format', 'json'],
  ['auto_explain.log_analyze', 'on'],
  ['auto_explain.log_timing', 'off'],
  ['auto_explain.log_parameter_max_length', '0'],
] as const;

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Figures of a node are averages over its loops. */
const readBy = (node: PlanNode): number =>
  Math.round((node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']);

/** An entry of the log is a line that starts with a time; more lines of it start with a tab. */
function plansIn(log: string): z.infer<typeof logged>[] {
  return log
    .split(/\n(?=\d{4}-)/)
    .filter((entry) => entry.includes(` ${APPLICATION} LOG:`) && entry.includes('plan:\n'))
    .map((entry) => logged.parse(JSON.parse(entry.slice(entry.indexOf('{')).replaceAll('\n\t', '\n'))));
}

import { readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiProcess } from './api-process.ts';
import { ConsoleSession } from './console-session.ts';
import type { Stage } from './stage.ts';

/** Fewer rows are read at once whichever way: the planner may scan such a table. */
const LARGE_ROWS = 5_000;
const APPLICATION = 'coffer-bench-plans';
const RELOAD_MS = 200;
const SCAN = /Seq Scan on (?:\w+\.)?(?<table>\w+)/g;

/**
 * One more api process, for whose statements PostgreSQL logs the plans that it took (auto_explain). So it is the service that
 * is judged, with every statement of a request, and not a copy of some of them.
 */
export class PlanLog {
  private readonly stage: Stage;
  private readonly api: ApiProcess;
  private readonly session: ConsoleSession;
  private readonly large: ReadonlySet<string>;

  private constructor(stage: Stage, api: ApiProcess, session: ConsoleSession, large: ReadonlySet<string>) {
    this.stage = stage;
    this.api = api;
    this.session = session;
    this.large = large;
  }

  /** Tables are large by their statistics, so they must be filled and analyzed before. */
  static async open(stage: Stage): Promise<PlanLog> {
    const tables = await stage.query<{ name: string }>(
      `select relname as name from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace and reltuples >= ${LARGE_ROWS}`,
    );
    // Connections of the other process that are opened meanwhile get it too, and are left out by their name.
    await stage.query(`alter role coffer_service set session_preload_libraries = 'auto_explain'`);
    await stage.query(`alter role coffer_service set auto_explain.log_min_duration = 0`);
    await stage.query(`alter system set log_line_prefix = '%m [%p] %a '`);
    await stage.query('select pg_reload_conf()');
    await sleep(RELOAD_MS);
    const api = await stage.startApi({ PGAPPNAME: APPLICATION });
    const session = await ConsoleSession.open({ url: api.url, admin: stage.service.admin });
    return new PlanLog(stage, api, session, new Set(tables.map(({ name }) => name)));
  }

  /** @throws Error with the plans of all answers that read a large table from its beginning to its end */
  async assertIndexed(paths: readonly string[]): Promise<void> {
    const faults: string[] = [];
    for (const path of paths)
      faults.push(...(await this.scansOf(path)).map((plan) => `${path} reads a whole table:\n${plan}`));
    if (faults.length > 0) throw new Error(faults.join('\n\n'));
  }

  private async scansOf(path: string): Promise<string[]> {
    const from = statSync(this.stage.databaseLog).size;
    await this.session.ask('GET', path);
    const plans = plansIn(readFileSync(this.stage.databaseLog).subarray(from).toString());
    if (plans.length === 0) throw new Error(`PostgreSQL logged no plan for ${path}.`);
    return plans.filter((plan) =>
      [...plan.matchAll(SCAN)].some(({ groups }) => this.large.has(groups?.['table'] ?? '')),
    );
  }

  async close(): Promise<void> {
    await this.session.close();
    await this.api.stop();
    await this.stage.query('alter role coffer_service reset all');
    await this.stage.query('alter system reset log_line_prefix');
    await this.stage.query('select pg_reload_conf()');
  }
}

/** An entry of the log is a line that starts with a time; more lines of it start with a tab. */
function plansIn(log: string): string[] {
  return log
    .split(/\n(?=\d{4}-)/)
    .filter((entry) => entry.includes(` ${APPLICATION} LOG:`) && entry.includes('plan:\n'));
}

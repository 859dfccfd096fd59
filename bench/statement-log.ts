import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from './stage.ts';

const LOG_DELAY_MS = 200;

/** A statement as PostgreSQL logged it, with whitespace collapsed. */
export interface LoggedStatement {
  readonly pid: string;
  readonly text: string;
  parameters: string;
}

/** Runs `work` while PostgreSQL logs every statement. */
export async function withStatementLog<Result>(stage: Stage, work: () => Promise<Result>): Promise<Result> {
  await logStatements(stage, 'all');
  try {
    return await work();
  } finally {
    await logStatements(stage, 'none');
  }
}

async function logStatements(stage: Stage, which: 'all' | 'none'): Promise<void> {
  await stage.query(`alter system set log_statement = '${which}'`);
  await stage.query('select pg_reload_conf()');
  await sleep(LOG_DELAY_MS);
}

/**
 * Returns the statements from `begin` to `commit` around the first one that `isMeant` selects; that one alone if it ran
 * without a transaction.
 */
export async function loggedTransaction(
  stage: Stage,
  isMeant: (statement: LoggedStatement) => boolean,
): Promise<string[]> {
  await sleep(LOG_DELAY_MS);
  const statements = readLog(stage.databaseLog);
  const pid = statements.find(isMeant)?.pid;
  const connection = statements.filter((statement) => statement.pid === pid);
  const place = connection.findIndex(isMeant);
  const meant = connection[place];
  if (meant === undefined) throw new Error('The statement is not in the log of PostgreSQL.');
  const bound = connection.findLastIndex(({ text }, index) => index < place && ['begin', 'commit'].includes(text));
  if (connection[bound]?.text !== 'begin') return [meant.text];
  const commit = connection.findIndex(({ text }, index) => index >= place && text === 'commit');
  if (commit === -1) throw new Error('The transaction is not in the log of PostgreSQL.');
  return connection.slice(bound, commit + 1).map(({ text }) => text);
}

/** PostgreSQL's log: one entry per line that starts with a time, more lines of the same entry start with a tab. */
function readLog(path: string): LoggedStatement[] {
  const statements: LoggedStatement[] = [];
  for (const entry of readFileSync(path, 'utf8').split(/\n(?=\d{4}-)/)) {
    const { pid, kind, rest } = /\[(?<pid>\d+)\] (?<kind>LOG|DETAIL): {2}(?<rest>[^]*)/.exec(entry)?.groups ?? {};
    if (pid === undefined || rest === undefined) continue;
    const text = /^(?:statement|execute [^:]*): (?<text>[^]*)/.exec(rest)?.groups?.['text'];
    if (text !== undefined) statements.push({ pid, text: text.replace(/\s+/g, ' ').trim(), parameters: '' });
    const last = statements.findLast((statement) => statement.pid === pid);
    if (kind === 'DETAIL' && last !== undefined) last.parameters = rest;
  }
  return statements;
}

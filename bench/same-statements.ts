import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshIntents } from './rows/generate-address.ts';
import { CREATE_BODY } from './rows/create.ts';
import type { Stage } from './stage.ts';

const LOG_DELAY_MS = 200;
const ATTEMPTS_MAX = 10;

interface LoggedStatement {
  readonly pid: string;
  readonly text: string;
  parameters: string;
}

/**
 * Compares what both servers send to PostgreSQL for one create and one generate-address, in PostgreSQL's own log.
 * @throws Error with both lists when they differ.
 */
export async function checkSameStatements(stage: Stage): Promise<void> {
  await logStatements(stage, 'all');
  for (const path of ['/v1/payment-intents', 'generate-address']) await compare(stage, path);
  await logStatements(stage, 'none');
}

/** Tries again when they differ: a read that both remember for a moment may have been due for one of them only. */
async function compare(stage: Stage, path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const ours = (await statementsOf(stage, stage.service.url, path)).join('\n');
    const theirs = (await statementsOf(stage, stage.bareUrl, path)).join('\n');
    if (ours === theirs) return;
    if (attempt < ATTEMPTS_MAX) continue;
    throw new Error(`${path}: the service runs\n${ours}\n\nbut the bare server runs\n${theirs}`);
  }
}

async function logStatements(stage: Stage, which: 'all' | 'none'): Promise<void> {
  await stage.query(`alter system set log_statement = '${which}'`);
  await stage.query('select pg_reload_conf()');
  await sleep(LOG_DELAY_MS);
}

/** The statements of one request's transaction. The second request of two, when both servers know what they cache. */
async function statementsOf(stage: Stage, url: string, path: string): Promise<string[]> {
  const isCreate = path.startsWith('/');
  let key = '';
  for (let n = 0; n < 2; n++) {
    key = randomUUID();
    const { paths } = isCreate ? { paths: [path] } : await freshIntents(stage, 1);
    const answer = await fetch(url + (paths[0] ?? ''), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${stage.service.apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: isCreate ? CREATE_BODY : '{}',
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  }
  await sleep(LOG_DELAY_MS);
  return transactionWith(key, readLog(stage.databaseLog));
}

/** From `begin` to `commit` on the connection that was given this value. */
function transactionWith(value: string, statements: readonly LoggedStatement[]): string[] {
  const pid = statements.find(({ parameters }) => parameters.includes(value))?.pid;
  const connection = statements.filter((statement) => statement.pid === pid);
  const place = connection.findIndex(({ parameters }) => parameters.includes(value));
  const begin = connection.findLastIndex(({ text }, index) => index <= place && text === 'begin');
  const commit = connection.findIndex(({ text }, index) => index >= place && text === 'commit');
  if (begin === -1 || commit === -1) throw new Error('The transaction is not in the log of PostgreSQL.');
  return connection.slice(begin, commit + 1).map(({ text }) => text);
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

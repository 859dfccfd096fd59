import { randomUUID } from 'node:crypto';
import type { Stage } from './stage.ts';
import { loggedTransaction, withStatementLog } from './statement-log.ts';

const ATTEMPTS_MAX = 10;

/** One write, as both servers are asked for it. */
export interface Write {
  readonly path: string;
  readonly apiKey: string;
  readonly body: string;
}

/** Gives writes of one kind, each of which can be made. */
export type NextWrite = () => Write | Promise<Write>;

/**
 * Compares what both servers send to PostgreSQL for one write, in PostgreSQL's own log. Tries again when they differ: a
 * read that both remember for a moment may have been due for one of them only.
 * @throws Error with both lists when they differ.
 */
export function checkSameWrites(stage: Stage, name: string, next: NextWrite): Promise<void> {
  return withStatementLog(stage, async () => {
    for (let attempt = 1; ; attempt++) {
      const ours = (await statementsOf(stage, stage.service.url, next)).join('\n');
      const theirs = (await statementsOf(stage, stage.bareUrl, next)).join('\n');
      if (ours === theirs) return;
      if (attempt < ATTEMPTS_MAX) continue;
      throw new Error(`${name}: the service runs\n${ours}\n\nbut the bare server runs\n${theirs}`);
    }
  });
}

/** The statements of one request's transaction. The second request of two, when both servers know what they cache. */
async function statementsOf(stage: Stage, url: string, next: NextWrite): Promise<string[]> {
  let key = '';
  for (let n = 0; n < 2; n++) {
    key = randomUUID();
    const { path, apiKey, body } = await next();
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body,
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  }
  return loggedTransaction(stage, ({ parameters }) => parameters.includes(key));
}

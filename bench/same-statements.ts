import { randomUUID } from 'node:crypto';
import type { Stage } from './stage.ts';
import { loggedTransaction, withStatementLog } from './statement-log.ts';

const ATTEMPTS_MAX = 10;

/** One write request for both servers. */
export interface Write {
  readonly path: string;
  readonly apiKey: string;
  readonly body: string;
}

/** Returns valid writes of one kind. */
export type NextWrite = () => Write | Promise<Write>;

/**
 * Compares the statements of both servers for one write, in PostgreSQL's log. Tries again when they differ, because a
 * cached read may have been due for only one of them.
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

/** Returns the statements of one request's transaction: the second of two, when the caches of both servers are filled. */
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

import { randomUUID } from 'node:crypto';
import { freshIntents } from './rows/generate-address.ts';
import { CREATE_BODY } from './rows/create.ts';
import type { Stage } from './stage.ts';
import { loggedTransaction, withStatementLog } from './statement-log.ts';

const ATTEMPTS_MAX = 10;

/**
 * Compares what both servers send to PostgreSQL for one create and one generate-address, in PostgreSQL's own log.
 * @throws Error with both lists when they differ.
 */
export function checkSameStatements(stage: Stage): Promise<void> {
  return withStatementLog(stage, async () => {
    for (const path of ['/v1/payment-intents', 'generate-address']) await compare(stage, path);
  });
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
  return loggedTransaction(stage, ({ parameters }) => parameters.includes(key));
}

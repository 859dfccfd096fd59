/**
 * Creates intents at an even pace in a separate process, whatever the answers take: the writes of a busy service. Run by
 * `fork` with the service's URL, an API key and the writes a second; answers `stop` with a `WritesResult`.
 */
import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';

const TICK_MS = 20;
const CONNECTIONS = 16;
const BODY = JSON.stringify({ amount_cents: 2500, currency: 'USD', network: 'polygon', token: 'USDC' });

export interface WritesResult {
  readonly made: number;
  readonly perSecond: number;
  /** The first answer that was not a success. */
  readonly failure: string | null;
}

const [url = '', apiKey = '', rate = '0'] = process.argv.slice(2);
const perTick = (Number(rate) * TICK_MS) / 1_000;
const pool = new Pool(url, { connections: CONNECTIONS });
const startedAt = performance.now();
let [owed, made] = [0, 0];
let failure: string | null = null;

async function write(): Promise<void> {
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: '/v1/payment-intents',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: BODY,
  });
  const text = await body.text();
  if (statusCode >= 300) failure ??= `A write answered ${statusCode}: ${text}`;
  made += 1;
}

setInterval(() => {
  owed += perTick;
  for (; owed >= 1; owed -= 1) write().catch((error: unknown) => (failure ??= String(error)));
}, TICK_MS);

process.on('message', () => {
  const perSecond = made / ((performance.now() - startedAt) / 1_000);
  process.send?.({ made, perSecond, failure } satisfies WritesResult);
});
process.send?.('ready');

/**
 * Merchants' servers in a separate process: one answers at once, one after `SLOW_MS`. Sends its ports, then for each
 * `ReceiverOrder` a message when the quick one has received that many posts.
 */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';

const SLOW_MS = 9_000;
const CREATED_AT = /"created_at":"([^"]+)"/;

/** Waits for this many posts; the answer covers only these. */
export interface ReceiverOrder {
  readonly count: number;
}

/** The received posts: their rate from the first to the last, and the time of each since its event's `created_at`. */
export interface Received {
  readonly perSecond: number;
  readonly latenciesMs: readonly number[];
}

interface Round {
  readonly left: { count: number };
  readonly total: number;
  readonly latenciesMs: number[];
  firstAt: number | null;
}

let round: Round | null = null;

function note(body: string): void {
  if (round === null || round.left.count === 0) return;
  const now = performance.timeOrigin + performance.now();
  round.firstAt ??= now;
  const createdAt = CREATED_AT.exec(body)?.[1];
  if (createdAt !== undefined) round.latenciesMs.push(now - Date.parse(createdAt));
  if (--round.left.count > 0) return;
  const perSecond = (round.total - 1) / ((now - round.firstAt) / 1000);
  process.send?.({ perSecond, latenciesMs: round.latenciesMs } satisfies Received);
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const quick = createServer((req, res) => {
  let body = '';
  req.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
  req.on('end', () => {
    res.end();
    note(body);
  });
});
const slow = createServer((req, res) => {
  req.resume();
  setTimeout(() => res.end(), SLOW_MS);
});

process.on('message', ({ count }: ReceiverOrder) => {
  round = { left: { count }, total: count, latenciesMs: [], firstAt: null };
  process.send?.('ready');
});
process.send?.({ quick: await listen(quick), slow: await listen(slow) });

/**
 * Load generator in a separate process: answers each `LoadOrder` of its parent with a `LoadResult`. Run by `fork`. It uses
 * undici's dispatch, the least work per request in Node, because it shares the cores with the measured service.
 */
import { randomUUID } from 'node:crypto';
import { Client } from 'undici';

/** The requests to make; each POST has its own idempotency key. */
export interface LoadOrder {
  /** The connections are distributed over these servers. */
  readonly urls: readonly string[];
  /** One for all, or one for each request. */
  readonly apiKey: string | readonly string[];
  readonly connections: number;
  readonly count: number;
  /** Request n uses path n, cyclically; the same holds for keys and bodies. */
  readonly paths: readonly string[];
  /** The body of all requests, or of each; null = GET. */
  readonly body: string | readonly string[] | null;
}

/** The result of an order. */
export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The first answer that was not a success; then the figures are invalid. */
  readonly failure: string | null;
}

/** Connections stay open between orders, because a short order would otherwise measure their opening. */
const kept = new Map<string, Client>();

function clientsOf({ connections, urls }: LoadOrder): Client[] {
  return Array.from({ length: connections }, (_, place) => {
    const url = urls[place % urls.length] ?? '';
    const client = kept.get(`${place} ${url}`) ?? new Client(url);
    kept.set(`${place} ${url}`, client);
    return client;
  });
}

async function run(order: LoadOrder): Promise<LoadResult> {
  const latencies: number[] = [];
  let next = 0;
  let failure: string | null = null;
  const clients = clientsOf(order);
  const startedAt = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      while (next < order.count && failure === null) {
        const nth = next++;
        const path = chosen(order.paths, nth);
        const request = { path, apiKey: chosen(order.apiKey, nth), body: order.body && chosen(order.body, nth) };
        const sentAt = performance.now();
        const answer = await ask(client, request);
        latencies.push(performance.now() - sentAt);
        if (answer.status >= 300) failure = `${path} answered ${answer.status}: ${answer.text}`;
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  latencies.sort((a, b) => a - b);
  const quantile = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0;
  return { perSecond: latencies.length / seconds, p50Ms: quantile(0.5), p99Ms: quantile(0.99), failure };
}

const chosen = (from: string | readonly string[], nth: number): string =>
  typeof from === 'string' ? from : (from[nth % from.length] ?? '');

interface Request {
  readonly path: string;
  readonly apiKey: string;
  readonly body: string | null;
}

function ask(client: Client, { path, apiKey, body }: Request): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  let status = 0;
  let text = '';
  const headers = {
    authorization: `Bearer ${apiKey}`,
    ...(body !== null && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
  };
  client.dispatch(
    { method: body === null ? 'GET' : 'POST', path, headers, body },
    {
      // Without this method undici treats the handler as one of its old interface.
      onRequestStart: () => undefined,
      onResponseStart: (_controller, code) => {
        status = code;
      },
      onResponseData: (_controller, chunk) => {
        if (status >= 300) text += chunk.toString();
      },
      onResponseEnd: () => resolve({ status, text }),
      onResponseError: (_controller, error) => reject(error),
    },
  );
  return promise;
}

process.on('message', (order: LoadOrder) => {
  void run(order).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ perSecond: 0, p50Ms: 0, p99Ms: 0, failure: String(error) }),
  );
});

import { Client } from 'undici';
import { hashApiKey, newApiKey, newId } from './compiled.ts';
import { median } from './duel.ts';
import type { Figure } from './report.ts';
import type { Stage } from './stage.ts';

/** The limit of the median time of a page, and of a look-up. */
export const MEDIAN_MAX_MS = 10;
const RATIO_MAX = 2;
const WARM_UP = 10;

/** Median latencies of two pages of a list. */
export interface PageLatencies {
  readonly firstMs: number;
  readonly deepMs: number;
}

/** Creates a key that reads everything of the merchant. */
export async function readingKey(stage: Stage, merchantId: string): Promise<string> {
  const key = newApiKey('sandbox');
  await stage.query(
    `insert into api_key (id, merchant_id, environment, key_hash, last4, scopes)
     values ($1, $2, 'sandbox', $3, $4, '{read}')`,
    [newId('key_'), merchantId, hashApiKey(key), key.slice(-4)],
  );
  return key;
}

/** Returns the median latencies of the first page of a list and of the one after `deepId`. */
export async function listLatencies(
  stage: Stage,
  { apiKey, path, deepId, requests }: { apiKey: string; path: string; deepId: string; requests: number },
): Promise<PageLatencies> {
  const deepPath = `${path}&starting_after=${deepId}`;
  const [firstMs = NaN, deepMs = NaN] = await medianLatencies(stage, apiKey, [() => path, () => deepPath], requests);
  return { firstMs, deepMs };
}

/** Returns the median latencies of these paths in milliseconds, requested in turns on one connection. A path may vary. */
export async function medianLatencies(
  stage: Stage,
  apiKey: string,
  paths: readonly (() => string)[],
  requests: number,
): Promise<number[]> {
  const client = new Client(stage.service.url);
  const ask = async (path: string): Promise<number> => {
    const startedAt = performance.now();
    const answer = await client.request({ method: 'GET', path, headers: { authorization: `Bearer ${apiKey}` } });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
    return performance.now() - startedAt;
  };
  const times = paths.map((): number[] => []);
  for (let n = 0; n < requests + WARM_UP; n++) {
    for (const [place, path] of paths.entries()) {
      const ms = await ask(path());
      if (n >= WARM_UP) times[place]?.push(ms);
    }
  }
  await client.close();
  return times.map((taken) => median(taken));
}

/** Returns the figure of a list whose pages must cost the same. */
export function listFigure(name: string, { firstMs, deepMs }: PageLatencies): Figure {
  const ratio = Math.max(firstMs / deepMs, deepMs / firstMs);
  return {
    name,
    measured: `page 1 ${firstMs.toFixed(1)} ms, deep ${deepMs.toFixed(1)} ms`,
    limit: `< ${MEDIAN_MAX_MS} ms, within ${RATIO_MAX}x`,
    isMet: Math.max(firstMs, deepMs) < MEDIAN_MAX_MS && ratio <= RATIO_MAX,
  };
}

import type { LoadOrder } from './load.ts';
import type { Stage } from './stage.ts';

export const CONNECTIONS = 32;

/** What one slice asks: the same of both servers, who share one database. */
export type Slice = Pick<LoadOrder, 'count' | 'paths' | 'body'>;

/** Requests per second, medians over the slices; the ratio is the median of the pairs' ratios. */
export interface DuelResult {
  readonly service: number;
  readonly bare: number;
  readonly ratio: number;
  readonly servicep50Ms: number;
}

/** The middle one of the values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/**
 * Lets the service and the bare server answer slices in turns (A B, B A, A B, ...), so that what else the machine does
 * meets both. The first pair warms both up and does not count.
 */
export async function duel(stage: Stage, pairs: number, slice: () => Promise<Slice>): Promise<DuelResult> {
  const rates = { service: [] as number[], bare: [] as number[] };
  const latencies: number[] = [];
  for (let pair = 0; pair <= pairs; pair++) {
    for (const who of pair % 2 === 0 ? (['service', 'bare'] as const) : (['bare', 'service'] as const)) {
      const url = who === 'service' ? stage.service.url : stage.bareUrl;
      const order = { url, apiKey: stage.service.apiKey, connections: CONNECTIONS, ...(await slice()) };
      const result = await stage.load(order);
      if (pair === 0) continue;
      rates[who].push(result.perSecond);
      if (who === 'service') latencies.push(result.p50Ms);
    }
  }
  return {
    service: median(rates.service),
    bare: median(rates.bare),
    ratio: median(rates.service.map((rate, index) => rate / (rates.bare[index] ?? Infinity))),
    servicep50Ms: median(latencies),
  };
}

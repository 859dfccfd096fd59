import type { LoadOrder } from './load.ts';
import type { Stage } from './stage.ts';

export const CONNECTIONS = 32;

/** The requests of one slice, the same for both sides, which share one database. */
export type Slice = Pick<LoadOrder, 'count' | 'paths' | 'body'>;

/** The medians of both sides, and the median of the pairs' ratios (first to second). */
export interface Comparison {
  readonly one: number;
  readonly other: number;
  readonly ratio: number;
}

/** Requests per second, medians over the slices. */
export interface DuelResult {
  readonly service: number;
  readonly bare: number;
  readonly ratio: number;
  readonly servicep50Ms: number;
}

/** Returns the median. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Returns the value below which this share of the values is. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}

/**
 * Runs two sides in turns (A B, B A, A B, ...), so that other load of the machine affects both. The first pair is a warm-up
 * and does not count.
 */
export async function inTurns<Result>(
  pairs: number,
  one: () => Promise<Result>,
  other: () => Promise<Result>,
): Promise<(readonly [one: Result, other: Result])[]> {
  const results: (readonly [Result, Result])[] = [];
  for (let pair = 0; pair <= pairs; pair++) {
    if (pair % 2 === 0) results.push([await one(), await other()]);
    else {
      const others = await other();
      results.push([await one(), others]);
    }
  }
  return results.slice(1);
}

/** Compares the rates of pairs. */
export function compare(rates: readonly (readonly [one: number, other: number])[]): Comparison {
  return {
    one: median(rates.map(([one]) => one)),
    other: median(rates.map(([, other]) => other)),
    ratio: median(rates.map(([one, other]) => one / other)),
  };
}

/** Runs slices on the service and on the bare server in turns, there under `prefix`. */
export async function duel(
  stage: Stage,
  pairs: number,
  slice: () => Promise<Slice>,
  prefix: '' | '/in-transaction' = '',
): Promise<DuelResult> {
  const ask = async (url: string, under: string) => {
    const next = await slice();
    return load(stage, [url], { ...next, paths: next.paths.map((path) => under + path) });
  };
  const results = await inTurns(
    pairs,
    () => ask(stage.service.url, ''),
    () => ask(stage.bareUrl, prefix),
  );
  const { one, other, ratio } = compare(results.map(([service, bare]) => [service.perSecond, bare.perSecond]));
  return { service: one, bare: other, ratio, servicep50Ms: median(results.map(([service]) => service.p50Ms)) };
}

/** Describes a duel with the best bare server, and one with the bare server that takes a transaction for each write. */
export function duelText({ ratio, service, bare, servicep50Ms }: DuelResult, inTransaction: DuelResult): string {
  const rates = `${service.toFixed(0)}/s : ${bare.toFixed(0)}/s, median ${servicep50Ms.toFixed(1)} ms`;
  return `${ratio.toFixed(2)} of bare node (${rates}), ${inTransaction.ratio.toFixed(2)} of one that takes transactions`;
}

/** Runs one slice over all connections, as the service's own merchant. */
export function load(stage: Stage, urls: readonly string[], slice: Slice): ReturnType<Stage['load']> {
  return stage.load({ urls, apiKey: stage.service.apiKey, connections: CONNECTIONS, ...slice });
}

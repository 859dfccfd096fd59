import { startChild } from './child.ts';
import type { ConsoleSession } from './console-session.ts';
import { quantile } from './duel.ts';
import type { Figure } from './report.ts';
import type { Stage } from './stage.ts';
import type { WritesResult } from './writes.ts';

const MEDIAN_MAX_MS = 50;
const P95_MAX_MS = 150;
const WRITES_PER_SECOND = 200;
/** Below this share of the wanted pace, the answers were not measured under it. */
const WRITES_SHARE_MIN = 0.95;
const WARM_UP = 3;

/** Answers of the console's API to measure together: one, or the first page of a list and a deep one. */
export interface ConsoleView {
  readonly name: string;
  readonly paths: readonly string[];
}

/** Measures these views one after another while intents are created at an even pace. */
export async function measureViews(
  stage: Stage,
  session: ConsoleSession,
  views: readonly ConsoleView[],
  requests: number,
): Promise<Figure[]> {
  const { url, apiKey } = stage.service;
  const writes = startChild('writes.ts', url, apiKey, String(WRITES_PER_SECOND));
  try {
    await writes.next();
    const figures: Figure[] = [];
    for (const view of views) figures.push(await measured(session, view, requests));
    return [...figures, await writesFigure(writes)];
  } finally {
    await writes.end();
  }
}

/** Asks for these paths in turns. */
async function measured(session: ConsoleSession, { name, paths }: ConsoleView, requests: number): Promise<Figure> {
  const times = paths.map((): number[] => []);
  for (let n = 0; n < requests + WARM_UP; n += 1) {
    for (const [nth, path] of paths.entries()) {
      const { ms } = await session.ask('GET', path);
      if (n >= WARM_UP) times[nth]?.push(ms);
    }
  }
  const medians = times.map((taken) => quantile(taken, 0.5));
  const p95s = times.map((taken) => quantile(taken, 0.95));
  const shown = medians.map((ms, nth) => `${ms.toFixed(0)} / ${(p95s[nth] ?? 0).toFixed(0)} ms`);
  return {
    name: `console: ${name}`,
    measured: shown.length === 1 ? `${shown[0]}` : `page 1 ${shown[0]}, deep ${shown[1]}`,
    limit: `median < ${MEDIAN_MAX_MS} ms, p95 < ${P95_MAX_MS} ms`,
    isMet: Math.max(...medians) < MEDIAN_MAX_MS && Math.max(...p95s) < P95_MAX_MS,
  };
}

async function writesFigure(writes: ReturnType<typeof startChild>): Promise<Figure> {
  writes.send({});
  const { perSecond, failure } = await writes.next<WritesResult>();
  if (failure !== null) throw new Error(failure);
  return {
    name: 'console: intents created meanwhile',
    measured: `${perSecond.toFixed(0)}/s`,
    limit: `>= ${WRITES_SHARE_MIN} of ${WRITES_PER_SECOND}/s`,
    isMet: perSecond >= WRITES_SHARE_MIN * WRITES_PER_SECOND,
  };
}

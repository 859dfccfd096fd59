import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from './stage.ts';

/** Figures come from other clocks, so there is no hurry. */
const POLL_MS = 100;
const WITHIN_MS = 60_000;

/** Waits until a query finds no row. @throws Error when it takes too long. */
export async function untilNone(
  stage: Stage,
  text: string,
  values: readonly unknown[] = [],
  withinMs = WITHIN_MS,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while ((await stage.query(text, values)).length > 0) {
    if (performance.now() > deadline) throw new Error(`The service has not done everything in time: ${text}`);
    await sleep(POLL_MS);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from './stage.ts';

/** Most figures come from other clocks, so a slow poll does not matter. */
const POLL_MS = 100;
const WITHIN_MS = 60_000;

/** Waits until a query returns no row. @throws Error when that takes too long. */
export async function untilNone(
  stage: Stage,
  text: string,
  values: readonly unknown[] = [],
  { withinMs = WITHIN_MS, pollMs = POLL_MS } = {},
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while ((await stage.query(text, values)).length > 0) {
    if (performance.now() > deadline) throw new Error(`The service did not finish in time: ${text}`);
    await sleep(pollMs);
  }
}

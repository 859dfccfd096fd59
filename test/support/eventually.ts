import { setTimeout as sleep } from 'node:timers/promises';

/** The pauses grow, so that a long wait does not take the processor from what it waits for. */
const POLL_MIN_MS = 10;
const POLL_MAX_MS = 100;
const POLL_GROWTH = 1.3;

/**
 * Asks `probe` until it gives something truthy, and gives that. A probe that throws, such as a failed expectation, is
 * asked again too; what it threw last ends the wait when the time is up.
 */
export async function eventually<Result>(
  probe: () => Promise<Result> | Result,
  timeoutMs = 10_000,
): Promise<NonNullable<Result>> {
  const deadline = performance.now() + timeoutMs;
  for (let pause = POLL_MIN_MS; ; pause = Math.min(pause * POLL_GROWTH, POLL_MAX_MS)) {
    const outcome = await attempt(probe);
    if ('result' in outcome && outcome.result) return outcome.result;
    if (performance.now() > deadline) {
      throw 'error' in outcome ? outcome.error : new Error(`Not so within ${timeoutMs} ms: ${probe.toString()}`);
    }
    await sleep(pause);
  }
}

async function attempt<Result>(
  probe: () => Promise<Result> | Result,
): Promise<{ result: Result } | { error: unknown }> {
  try {
    return { result: await probe() };
  } catch (error) {
    return { error };
  }
}

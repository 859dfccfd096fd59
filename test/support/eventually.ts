import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

/** Not a limit of speed: a loaded machine is no failure. */
const TIMEOUT_MS = 30_000;
/** The pauses grow, so that a long wait does not take processor time from the awaited work. */
const POLL_MIN_MS = 10;
const POLL_MAX_MS = 100;
const POLL_GROWTH = 1.3;

type Probe<Value> = () => Promise<Value> | Value;
type Condition<Value> = (value: Value) => boolean;
type Outcome<Value> = { readonly value: Value; readonly isDone: boolean } | { readonly error: unknown };

/**
 * Calls `probe` until it returns a truthy value, or one for which `isDone` holds, and returns that. A probe that throws,
 * such as a failed expectation, is called again too. After the timeout, the wait fails with the last error, or with
 * an error that shows the last value: if that would only be `false`, pass a condition.
 */
export function eventually<Value>(probe: Probe<Value>, timeoutMs?: number): Promise<NonNullable<Value>>;
export function eventually<Value>(probe: Probe<Value>, isDone: Condition<Value>, timeoutMs?: number): Promise<Value>;
export async function eventually<Value>(
  probe: Probe<Value>,
  second: Condition<Value> | number = TIMEOUT_MS,
  third = TIMEOUT_MS,
): Promise<Value> {
  const [isDone, timeoutMs] = typeof second === 'number' ? [Boolean, second] : [second, third];
  const deadline = performance.now() + timeoutMs;
  for (let pause = POLL_MIN_MS; ; pause = Math.min(pause * POLL_GROWTH, POLL_MAX_MS)) {
    const outcome = await attempt(probe, isDone);
    if ('value' in outcome && outcome.isDone) return outcome.value;
    if (performance.now() > deadline) {
      if ('error' in outcome) throw outcome.error;
      throw new Error(`Not so within ${timeoutMs} ms. Last seen: ${inspect(outcome.value, { depth: 4 })}`);
    }
    await sleep(pause);
  }
}

/** Repeats expectations until all of them hold; fails as the last one did. */
export async function eventuallyPasses(expectations: () => Promise<void> | void): Promise<void> {
  await eventually(async () => {
    await expectations();
    return true;
  });
}

async function attempt<Value>(probe: Probe<Value>, isDone: Condition<Value>): Promise<Outcome<Value>> {
  try {
    const value = await probe();
    return { value, isDone: isDone(value) };
  } catch (error) {
    return { error };
  }
}

import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for `work`, `timeoutMs` at most. Returns whether it settled in that time, resolved or rejected. */
export async function withTimeout(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const timer = new AbortController();
  const settled = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, sleep(timeoutMs, false, { signal: timer.signal })]);
  } finally {
    timer.abort();
  }
}

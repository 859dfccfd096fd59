import { setTimeout as sleep } from 'node:timers/promises';

/** Calls `probe` periodically and returns its first answer that is not null, or null after `withinMs`. */
export async function poll<T>(
  probe: () => Promise<T | null> | T | null,
  { everyMs, withinMs }: { readonly everyMs: number; readonly withinMs: number },
): Promise<T | null> {
  const until = performance.now() + withinMs;
  for (;;) {
    const answer = await probe();
    if (answer !== null || performance.now() >= until) return answer;
    await sleep(everyMs);
  }
}

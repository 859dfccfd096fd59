import { setTimeout as sleep } from 'node:timers/promises';

/** Asks `probe` at a steady pace until it answers something else than null; null when the time is up first. */
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

/** Prints a measured time; the numbers of docs/operations.md come from these lines. */
export function printMeasured(what: string, ms: number): void {
  process.stdout.write(`MEASURED ${what}: ${(ms / 1000).toFixed(2)} s\n`);
}

/** Returns the time of `work` in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

const armed = new Map<string, number>();

/**
 * Arms failpoints, written as `name` or `name@k` (the k-th call). Only `parseConfig` decides whether any may be armed; in
 * production the map stays empty.
 */
export function armFailpoints(names: readonly string[]): void {
  for (const entry of names) {
    const [name, count] = entry.split('@');
    if (name) armed.set(name, Number(count ?? 1));
  }
}

/**
 * A place where tests kill the process like a power failure: no handler runs, nothing is flushed. Almost free when no
 * failpoint is armed.
 */
export function failpoint(name: string): void {
  if (armed.size === 0) return;
  const left = armed.get(name);
  if (left === undefined) return;
  if (left > 1) {
    armed.set(name, left - 1);
    return;
  }
  process.kill(process.pid, 'SIGKILL');
}

import { spawnSync } from 'node:child_process';

/**
 * `it` for tests that run a program of the machine, such as `python3`. Without it they are skipped with a warning;
 * under `CI=true` they run and fail. `version` is the argument with which the program only prints its version.
 */
export function itWith(program: string, version = '--version'): typeof it.skip {
  const isThere = spawnSync(program, [version]).status === 0;
  if (isThere || process.env['CI'] === 'true') return it;
  console.warn(`SKIPPED: tests that need ${program}, because ${program} is not installed.`);
  return it.skip;
}

import { spawnSync } from 'node:child_process';

/**
 * `it` for tests that run a program of the machine, such as `python3`. Where it is missing they are skipped, and a warning
 * says so; under `CI=true` they run and fail. `version` is the argument on which the program only tells its version.
 */
export function itWith(program: string, version = '--version'): typeof it.skip {
  const isThere = spawnSync(program, [version]).status === 0;
  if (isThere || process.env['CI'] === 'true') return it;
  console.warn(`SKIPPED: what needs ${program}, because ${program} is not installed.`);
  return it.skip;
}

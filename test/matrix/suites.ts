import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** What runs a spec: each change, or `npm run soak`, which CI runs after it. */
export type Suite = 'npm test' | 'npm run soak';

const ROOT = join(import.meta.dirname, '../..');

const suiteOf = (spec: string): Suite => (spec.endsWith('.soak-spec.ts') ? 'npm run soak' : 'npm test');
const isSpec = (file: string): boolean => /\.(e2e-|soak-)?spec\.ts$/.test(file);

/** The suites that run the tests of a file, which is a spec, or a table of tests that specs import. */
export function suitesOf(file: string): ReadonlySet<Suite> {
  if (isSpec(file)) return new Set([suiteOf(file)]);
  const name = `/${basename(file, '.ts')}.js'`;
  const specs = globSync('{src,test}/**/*spec.ts', { cwd: ROOT }).filter(isSpec);
  return new Set(specs.filter((spec) => readFileSync(join(ROOT, spec), 'utf8').includes(name)).map(suiteOf));
}

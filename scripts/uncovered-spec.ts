/**
 * Prints the rows of the specification (sections 2 to 8) that no test names; test/spec-rows.ts explains the tags. Exit
 * code 1 when a row has no test, or a tag names no row.
 * Run: `node --import ./test/support/typescript-hooks.mjs scripts/uncovered-spec.ts`.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SPEC_ROWS, type SpecRow } from '../test/spec-rows.js';
import { coverageOf } from '../test/support/spec-tags.js';

const ROOT = join(import.meta.dirname, '..');

const files = globSync('{src,test}/**/*.{spec,e2e-spec,soak-spec}.ts', { cwd: ROOT }).map((path) => ({
  path,
  text: readFileSync(join(ROOT, path), 'utf8'),
}));
const { uncovered, insideOnly, unknown } = coverageOf(SPEC_ROWS, files);

const line = (row: SpecRow): string =>
  `  ${row.section.padEnd(4)} ${row.name.padEnd(26)} ${row.demand}${insideOnly.has(row) ? ' (not over HTTP yet)' : ''}`;

for (const row of uncovered) console.log(line(row));
for (const tag of unknown) console.log(`  no such row: ${tag}`);
console.log(`${SPEC_ROWS.length - uncovered.length} of ${SPEC_ROWS.length} rows have a test.`);
process.exitCode = uncovered.length > 0 || unknown.length > 0 ? 1 : 0;

import { globSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { CODE_RULES } from './support/code-rule-cases.js';
import { IMPORT_RULES } from './support/import-rule-cases.js';
import { OWN_TRANSACTIONS } from './support/own-transactions.js';
import { SOURCE_RULES } from './support/source-rule-cases.js';
import type { Source } from './support/source-rules.js';

const root = new URL('..', import.meta.url);

const sources: Source[] = globSync('src/**/*.ts', { cwd: root }).map((path) => ({
  path: path.split(sep).join('/'),
  text: readFileSync(new URL(path, root), 'utf8'),
}));

const RULES = [...IMPORT_RULES, ...SOURCE_RULES, ...CODE_RULES];

describe('the architecture', () => {
  it('is checked as a whole', () => {
    expect(sources.map((source) => source.path)).toEqual(
      expect.arrayContaining(['src/main.ts', 'src/domain/ids.ts', 'src/payments/intents/settlement.service.ts']),
    );
  });

  it('is used by the bench: every compiled file that it loads has a source', () => {
    const loaded = globSync('bench/**/*.ts', { cwd: root }).flatMap((path) =>
      [...readFileSync(new URL(path, root), 'utf8').matchAll(/\bplace\(\s*'([^']+)\.js'/g)].map(
        ([, name]) => `src/${name}.ts`,
      ),
    );
    expect(loaded.length).toBeGreaterThan(10);
    const paths = new Set(sources.map(({ path }) => path));
    expect(loaded.filter((path) => !paths.has(path))).toEqual([]);
  });

  it('lists no place with transactions of its own that opens none', () => {
    const opening = sources.filter(({ text }) => /\.transaction\(/.test(text)).map(({ path }) => path);
    expect(Object.keys(OWN_TRANSACTIONS).filter((place) => !opening.some((path) => path.startsWith(place)))).toEqual(
      [],
    );
  });

  describe.each(RULES)('%s', (_rule, check, broken, findings) => {
    it('holds', () => {
      expect(check(sources)).toEqual([]);
    });

    it('is noticed when it is broken, with file and line', () => {
      expect(check(broken)).toEqual(findings);
    });
  });
});

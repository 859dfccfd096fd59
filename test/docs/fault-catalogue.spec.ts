import { globSync, readFileSync } from 'node:fs';
import { headingsOf, readDocument, tableUnder } from '../support/markdown.js';
import { quotedTextsOf } from '../support/spec-tags.js';

const root = new URL('../../', import.meta.url);
const TAG = /\[([A-Z]-\d+)\]/g;

const document = readDocument('docs/fault-catalogue.md');
const sections = headingsOf(document, 2);
const rows = sections.flatMap((section) => tableUnder(document, section));
const cases = rows.map(([name = '']) => name);

const tagsIn = (text: string): string[] => [...text.matchAll(TAG)].map(([, name = '']) => name);

/** The files that name each case in a title. Some titles are in helpers that several specs share. */
function filesByCase(): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, string[]>();
  for (const path of globSync('{src,test,bench}/**/*.ts', { cwd: root })) {
    const text = readFileSync(new URL(path, root), 'utf8');
    if (tagsIn(text).length === 0) continue;
    const names = new Set(quotedTextsOf({ path, text }).flatMap(tagsIn));
    for (const name of names) files.set(name, [...(files.get(name) ?? []), path]);
  }
  return files;
}

describe('docs/fault-catalogue.md', () => {
  const named = filesByCase();

  it('has a row for every case that a test names', () => {
    const unknown = [...named].filter(([name]) => !cases.includes(name));
    expect(unknown).toEqual([]);
  });

  it('has no row that no test names', () => {
    expect(cases.filter((name) => !named.has(name))).toEqual([]);
  });

  it('lists each case once, by its number, in the section of its letter', () => {
    const numbers = cases.map((name) => Number(name.slice(2)));
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    for (const section of sections) {
      const letters = new Set(tableUnder(document, section).map(([name = '']) => name.charAt(0)));
      expect([section, [...letters]]).toEqual([section, [section.charAt(0)]]);
    }
  });

  it('says of each case what happens and what Coffer does', () => {
    for (const row of rows)
      expect(row).toEqual([expect.anything(), expect.stringMatching(/./), expect.stringMatching(/\.$/)]);
  });
});

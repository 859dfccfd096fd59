import { existsSync, readFileSync } from 'node:fs';
import { type Edit, withEdit } from '../scripts/sabotage/bug.js';
import { BUGS } from '../scripts/sabotage/bugs.js';

// The parts of `npm run sabotage`. Only that script applies the bugs themselves.

const EDIT: Edit = { file: 'src/a.ts', search: 'a > b', replace: '$& a >= b' };

describe('an edit', () => {
  it('replaces the one place that it names, and means its replacement literally', () => {
    expect(withEdit('if (a > b) return;', EDIT)).toBe('if ($& a >= b) return;');
  });

  it.each([
    ['no longer there', 'if (a < b) return;', 'src/a.ts contains 0 times, and not once: a > b'],
    ['there twice', 'a > b || a > b', 'src/a.ts contains 2 times, and not once: a > b'],
  ])('is refused when its place is %s', (_what, text, refusal) => {
    expect(() => withEdit(text, EDIT)).toThrow(refusal);
  });
});

describe('the bugs', () => {
  it('have names of their own, change something and name the specs that are expected to fail', () => {
    expect(new Set(BUGS.map(({ name }) => name)).size).toBe(BUGS.length);
    expect(
      BUGS.filter(({ edits }) => edits.length === 0 || edits.some((edit) => edit.search === edit.replace)),
    ).toEqual([]);
    expect(BUGS.filter(({ specs }) => specs.length === 0)).toEqual([]);
  });

  it('are caught by specs that exist and that `npm test` runs', () => {
    const specs = [...new Set(BUGS.flatMap(({ specs: expected }) => expected))];
    const isRun = (path: string): boolean =>
      /\.(e2e-)?spec\.ts$/.test(path) && existsSync(new URL(`../${path}`, import.meta.url));
    expect(specs.filter((path) => !isRun(path))).toEqual([]);
  });

  it.each(BUGS)('$name finds its places in the sources', ({ edits }) => {
    for (const edit of edits) expect(() => withEdit(textOf(edit), edit)).not.toThrow();
  });

  it('do not overlap, because all of them are compiled together', () => {
    const texts = new Map<string, string>();
    for (const edit of BUGS.flatMap(({ edits }) => edits)) {
      texts.set(edit.file, withEdit(texts.get(edit.file) ?? textOf(edit), edit));
    }
    expect(texts.size).toBeGreaterThan(0);
  });
});

const textOf = ({ file }: Edit): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

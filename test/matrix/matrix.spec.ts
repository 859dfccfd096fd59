import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CELLS, type Cell, nameOf } from './cells.js';
import { GAPS } from './gaps.js';
import { isGap, standingOf } from './proof.js';
import { PROOFS } from './proofs.js';
import { suitesOf } from './suites.js';
import { testTitlesIn } from './test-titles.js';

const ROOT = join(import.meta.dirname, '../..');
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** How well a cell is proven: by a test of itself, or by one of its kin. */
function standing(cell: Cell): 'itself' | 'kin' | null {
  const standings = PROOFS.map((proof) => standingOf(proof, cell));
  return standings.includes('itself') ? 'itself' : standings.includes('kin') ? 'kin' : null;
}

const SUITES = new Map([...new Set(PROOFS.map(({ file }) => file))].map((file) => [file, suitesOf(file)]));

/** Whether every test that proves a cell as well as it is proven is left to `npm run soak`. */
function isLeftToSoak(cell: Cell): boolean {
  const best = standing(cell);
  return PROOFS.filter((proof) => standingOf(proof, cell) === best).every(
    ({ file }) => SUITES.get(file)?.has('npm test') !== true,
  );
}

const isKnownGap = (cell: Cell): boolean => GAPS.some((gap) => isGap(gap, cell));

describe('the matrix of networks, tokens and cases', () => {
  it('has no cell that is neither proven nor a known gap', () => {
    expect(CELLS.filter((cell) => standing(cell) === null && !isKnownGap(cell)).map(nameOf)).toEqual([]);
    const count = (what: ReturnType<typeof standing>): number => CELLS.filter((cell) => standing(cell) === what).length;
    const leftToSoak = CELLS.filter((cell) => standing(cell) !== null && isLeftToSoak(cell));
    process.stdout.write(
      `MATRIX ${CELLS.length} cells: ${count('itself')} run, ${count('kin')} run for another network or token of ` +
        `the family, ${count(null)} known gaps; ${leftToSoak.length} in npm run soak alone: ` +
        `${leftToSoak.map(nameOf).join(', ')}\n`,
    );
  });

  it('calls no cell a gap that a test proves, and has no gap without a cell', () => {
    expect(CELLS.filter((cell) => standing(cell) !== null && isKnownGap(cell)).map(nameOf)).toEqual([]);
    expect(GAPS.filter((gap) => !CELLS.some((cell) => isGap(gap, cell))).map(({ name }) => name)).toEqual([]);
  });

  it('names tests that exist, each for cells that it has', () => {
    const titles = new Map(
      [...new Set(PROOFS.map(({ file }) => file))].map((file) => [file, testTitlesIn(textOf(file))]),
    );
    const missing = PROOFS.filter(({ file, title }) => titles.get(file)?.has(title) !== true);
    expect(missing.map(({ file, title }) => `${file}: ${title}`)).toEqual([]);
    expect([...SUITES].filter(([, suites]) => suites.size === 0).map(([file]) => file)).toEqual([]);
    const idle = PROOFS.filter((proof) => !CELLS.some((cell) => standingOf(proof, cell) === 'itself'));
    expect(idle.map(({ file, title }) => `${file}: ${title}`)).toEqual([]);
  });
});

describe('the reader of titles', () => {
  it('takes tests and tables of tests, and neither skipped ones nor mere texts', () => {
    const text = `
      describe('a room', () => {
        it('one', () => {});
        it.each([1])('two %s', () => {});
        test('three', () => {});
        it.skip('four', () => {});
        it.skip.each([1])('five', () => {});
        expect('six').toBe('six');
      });`;
    expect([...testTitlesIn(text)]).toEqual(['one', 'two %s', 'three']);
  });
});

import { SPEC_ROWS, type SpecRow } from './spec-rows.js';
import { coverageOf, rowsNamedIn } from './support/spec-tags.js';

const row = (name: string, more: Partial<SpecRow> = {}): SpecRow => ({
  section: '4.5',
  name,
  demand: '',
  inside: false,
  ...more,
});
/** Written so that the tags of these examples are not taken for tags of this file. */
const tag = (names: string): string => ['[spec', `${names}]`].join(' ');
const titled = (names: string): string => `it('works ${tag(names)}', () => {});`;
const e2e = (text: string) => ({ path: 'test/http/lists.e2e-spec.ts', text });
const unit = (text: string) => ({ path: 'src/domain/list.spec.ts', text });

describe('the rows of the specification', () => {
  it('have a name each, which a tag can write', () => {
    const ids = SPEC_ROWS.map(({ section, name }) => `${section} ${name}`);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[2-8](\.\d)? [\w. -]+$/);
  });
});

describe('tags', () => {
  it('are read from titles and from the tables titles are made of', () => {
    const text = `
      it('pages ${tag('4.5 limit, order')} [A-10]', () => {});
      it.each([['by network ${tag('4.5 network')}', 1]])('filters %s', () => {});
      it(\`knows \${what} ${tag('2.1 id')}\`, () => {});`;
    expect(rowsNamedIn(e2e(text))).toEqual(['4.5 limit', '4.5 order', '4.5 network', '2.1 id']);
  });

  it('in comments cover nothing, and neither does a section alone', () => {
    const text = `// ${tag('4.5 limit')}\n/* ${tag('4.5 limit')} */\n${titled('4.5')}`;
    expect(rowsNamedIn(e2e(text))).toEqual([]);
  });
});

describe('a row', () => {
  it('is covered by an end-to-end spec that names it', () => {
    const { uncovered } = coverageOf([row('limit'), row('order')], [e2e(titled('4.5 limit'))]);
    expect(uncovered.map(({ name }) => name)).toEqual(['order']);
  });

  it('that can be seen over HTTP is not covered by a spec inside the process, and the report says so', () => {
    const limit = row('limit');
    const { uncovered, insideOnly } = coverageOf([limit], [unit(titled('4.5 limit'))]);
    expect([uncovered, [...insideOnly]]).toEqual([[limit], [limit]]);
    const inside = coverageOf([row('limit', { inside: true })], [unit(titled('4.5 limit'))]);
    expect(inside.uncovered).toEqual([]);
  });

  it('that does not exist is reported with the file that names it', () => {
    const { unknown } = coverageOf([row('limit')], [e2e(titled('4.5 limits'))]);
    expect(unknown).toEqual([`test/http/lists.e2e-spec.ts: ${tag('4.5 limits')}`]);
  });
});

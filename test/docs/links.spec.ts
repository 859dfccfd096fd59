import { existsSync, globSync } from 'node:fs';
import { posix } from 'node:path';
import { DOCS_PAGES } from '../../src/docs-pages/docs-pages.controller.js';
import { anchorOf } from '../../src/docs-pages/heading-anchor.js';
import { headingsOf, readDocument } from '../support/markdown.js';

const root = new URL('../../', import.meta.url);
const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;

const paths = ['*.md', 'docs/*.md'].flatMap((pattern) => globSync(pattern, { cwd: root }));

/** Returns the links of a document that lead into the repository, except for those in code. */
const linksOf = (path: string): string[] =>
  [
    ...readDocument(path)
      .replaceAll(/```[^]*?```/g, '')
      .matchAll(LINK),
  ]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target));

/** Returns the fault of a broken link, and null for any other. */
function faultOf(path: string, link: string): string | null {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? path : posix.join(posix.dirname(path), file);
  if (!existsSync(new URL(target, root))) return `${path}: ${link} leads to no file`;
  if (anchor === undefined) return null;
  const isThere = headingsOf(readDocument(target)).some((heading) => anchorOf(heading) === anchor);
  return isThere ? null : `${path}: ${link} leads to no heading`;
}

describe('the documents', () => {
  it('are all checked', () => {
    expect(paths).toEqual(expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'docs/errors.md']));
  });

  it.each(paths)('%s has no broken link', (path) => {
    expect(linksOf(path).flatMap((link) => faultOf(path, link) ?? [])).toEqual([]);
  });

  it.each(DOCS_PAGES)('docs/%s.md leads to served documents only, because it is served', (page) => {
    const files = linksOf(`docs/${page}.md`).map((link) => link.split('#', 1)[0] ?? '');
    const foreign = files.filter((file) => file !== '' && !DOCS_PAGES.some((name) => file === `${name}.md`));
    expect(foreign).toEqual([]);
  });
});

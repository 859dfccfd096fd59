import { globSync, readFileSync } from 'node:fs';
import { EntitySchema } from '@mikro-orm/core';
import { ENTITIES } from '../../src/app/entities.js';
import { readDocument, tableUnder } from '../support/markdown.js';

const root = new URL('../../', import.meta.url);
const document = readDocument('docs/architecture.md');
const quoted = [...document.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name);

const PATH = /^(?:[\w.*-]+\/)*[\w*-][\w.*-]*(?:\.(?:ts|md)|\/)$/;
const CLASS = /^@?([A-Z]\w*[a-z]\w*)(?:\.\w+)?(?:\(.*\))?$/;

const isThere = (path: string): boolean =>
  globSync([path, `src/${path}`, `{src,test}/**/${path}`], { cwd: root }).length > 0;

/** Everything that the sources declare by a name. */
function declaredNames(): ReadonlySet<string> {
  const code = globSync('{src,test/support}/**/*.ts', { cwd: root }).map((path) =>
    readFileSync(new URL(path, root), 'utf8'),
  );
  const declarations = /\b(?:class|interface|type|const|function) (\w+)/g;
  return new Set(code.flatMap((text) => [...text.matchAll(declarations)].map(([, name = '']) => name)));
}

describe('docs/architecture.md', () => {
  it('has every table', () => {
    const tables = tableUnder(document, 'Tables, and what each guards by itself').flatMap(([names = '']) =>
      names.split(', '),
    );
    const names = ENTITIES.map((entity) => EntitySchema.REGISTRY.get(entity)?.tableName ?? '');
    expect(tables.toSorted()).toEqual(names.toSorted());
  });

  it('names files that exist', () => {
    const paths = quoted.filter((name) => PATH.test(name));
    expect(paths.length).toBeGreaterThan(50);
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
  });

  it('names classes and functions that exist', () => {
    const names = quoted.flatMap((name) => CLASS.exec(name)?.[1] ?? []);
    expect(names.length).toBeGreaterThan(50);
    const declared = declaredNames();
    expect(names.filter((name) => !declared.has(name) && !(name in globalThis))).toEqual([]);
  });
});

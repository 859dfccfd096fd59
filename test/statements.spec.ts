import { globSync, readFileSync } from 'node:fs';
import { EntitySchema, UnderscoreNamingStrategy } from '@mikro-orm/core';
import ts from 'typescript';
import { ENTITIES } from '../src/app/entities.js';

const ROOT = new URL('../', import.meta.url);
const naming = new UnderscoreNamingStrategy();

/** Words of SQL that are also columns. */
const KEYWORDS = new Set(['key', 'epoch']);

/** The names of all tables and columns. */
const NAMES = new Set(
  ENTITIES.flatMap((entity) => {
    const schema = EntitySchema.REGISTRY.get(entity);
    if (schema === undefined) throw new Error(`${entity.name} has no schema.`);
    const { tableName, properties } = schema.meta;
    const columns = Object.entries<{ readonly fieldName?: string; readonly type?: unknown }>(properties).map(
      ([property, { fieldName }]) => fieldName ?? naming.propertyToColumnName(property),
    );
    return [tableName, ...columns];
  }).filter((name) => !KEYWORDS.has(name)),
);

interface Source {
  readonly path: string;
  readonly text: string;
}

const sources = globSync('src/**/*.ts', { cwd: ROOT })
  .filter((path) => !path.endsWith('.spec.ts'))
  .map((path): Source => ({ path, text: readFileSync(new URL(path, ROOT), 'utf8') }));

/** `path:line word` of each table and column that the text of a statement names, instead of `${table.column}`. */
function bareNames({ path, text }: Source): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'sql') {
      for (const piece of piecesOf(node.template)) {
        const words = piece.text.replaceAll(/'(?:[^']|'')*'|"[^"]*"/g, '').match(/[a-z_]\w*/g) ?? [];
        const line = file.getLineAndCharacterOfPosition(piece.getStart()).line + 1;
        found.push(...words.filter((word) => NAMES.has(word)).map((word) => `${path}:${line} ${word}`));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const piecesOf = (template: ts.TemplateLiteral): readonly ts.TemplateLiteralLikeNode[] =>
  ts.isNoSubstitutionTemplateLiteral(template)
    ? [template]
    : [template.head, ...template.templateSpans.map(({ literal }) => literal)];

/** A lock and a ping, on connections of pg itself, read no rows. */
const WITHOUT_ROWS = ['src/platform/database/migrate.ts', 'src/platform/queue/postgres-backend.ts'];

const isStatementFile = (path: string): boolean =>
  path.endsWith('.sql.ts') || path.startsWith('src/platform/sql/') || WITHOUT_ROWS.includes(path);

/** `path:line` of each statement. */
function statementsIn({ path, text }: Source): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isTagged = ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'sql';
    const isText =
      (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateHead(node)) &&
      /^\s*(?:select\s|insert into\s|update \w+ set\s|delete from\s|with \w+ as )/.test(node.text);
    if (isTagged || isText) found.push(`${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
    else ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

describe('statements', () => {
  it('name tables and columns by their entities, so that a misspelt one does not compile', () => {
    expect(sources.flatMap(bareNames)).toEqual([]);
  });

  it.each(['select id from ${t}', "select 'id' from pocket"])('would be noticed with a bare name: %s', (text) => {
    expect(bareNames({ path: 'a.sql.ts', text: `const a = sql\`${text}\`` })).toHaveLength(1);
  });

  it('stand in the `*.sql.ts` of their features', () => {
    expect(sources.filter(({ path }) => !isStatementFile(path)).flatMap(statementsIn)).toEqual([]);
  });

  it.each(['const a = sql`select 1`', "run('select 1')", 'run(`  update t set a = 1`)', 'const a = "with a as (b) c"'])(
    'would be noticed elsewhere: %s',
    (text) => {
      expect(statementsIn({ path: 'a.service.ts', text })).toEqual(['a.service.ts:1']);
    },
  );
});

import { globSync } from 'node:fs';
import type { EntityClass } from '@mikro-orm/core';
import ts from 'typescript';
import { ENTITIES } from '../src/app/entities.js';
import { type Database, rows } from '../src/platform/database/database.js';
import { compiled, sql } from '../src/platform/sql/sql.js';
import { every, table } from '../src/platform/sql/table.js';
import { freshDatabase, type TestDatabase } from './support/database.js';
import { query } from './support/sql.js';

const ROOT = new URL('../', import.meta.url).pathname;
const PROGRAM = `${ROOT}src/row-types.ts`;

/** A sample of each type of our columns, which does not fit a number of JavaScript where that is possible. */
const SAMPLES: Readonly<Record<string, string>> = {
  text: `'text'`,
  boolean: 'true',
  integer: '1',
  bigint: '9007199254740993',
  numeric: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
  'timestamp with time zone': `'2026-01-02 03:04:05.678+00'`,
  'double precision': '1.5',
  date: `'2026-01-02'`,
  bytea: `'\\x00ff'`,
  jsonb: `'{"a": 1}'`,
  json: `'{"a": 1}'`,
  ARRAY: `'{a,b}'`,
};

type Kinds = Readonly<Record<string, readonly string[]>>;

/** The kinds of values that the compiler sees in `Row` of every entity, by entity and property. */
function typesOfRows(): ReadonlyMap<string, Kinds> {
  const paths = globSync('src/**/*.entity.ts', { cwd: ROOT });
  const text = [
    `import type { Row } from './platform/sql/row.js';`,
    ...paths.map((path, i) => `import * as file${i} from './${path.slice('src/'.length).replace(/\.ts$/, '.js')}';`),
    `type RowOf<Class> = Class extends { prototype: infer Entity } ? Row<Entity, keyof Entity & string> : never;`,
    `type RowsOf<File> = { [Name in keyof File]: RowOf<File[Name]> };`,
    ...paths.map((_path, i) => `export type Rows${i} = RowsOf<typeof file${i}>;`),
  ].join('\n');
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(`${ROOT}tsconfig.json`, (path) => ts.sys.readFile(path)).config,
    ts.sys,
    ROOT,
  );
  const host = ts.createCompilerHost(options);
  const sourceOf = host.getSourceFile.bind(host);
  host.getSourceFile = (path, target) =>
    path === PROGRAM ? ts.createSourceFile(path, text, target) : sourceOf(path, target);
  const program = ts.createProgram([PROGRAM], options, host);
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(PROGRAM);
  const found = new Map<string, Kinds>();
  file?.forEachChild((node) => {
    if (!ts.isTypeAliasDeclaration(node) || node.typeParameters !== undefined) return;
    for (const entity of checker.getTypeAtLocation(node).getProperties()) {
      const properties = checker.getTypeOfSymbol(entity).getProperties();
      const kinds = properties.map((one) => [one.name, kindsOf(checker, checker.getTypeOfSymbol(one))] as const);
      found.set(entity.name, Object.fromEntries(kinds));
    }
  });
  return found;
}

function kindsOf(checker: ts.TypeChecker, type: ts.Type): string[] {
  const parts = type.isUnion() ? type.types : [type];
  const kinds = parts.map((one) => {
    // The ORM marks the type of a column with a default.
    const part = one.isIntersection() ? (one.types[0] ?? one) : one;
    if (part.flags & ts.TypeFlags.Null) return 'null';
    if (part.flags & ts.TypeFlags.StringLike) return 'string';
    if (part.flags & ts.TypeFlags.NumberLike) return 'number';
    if (part.flags & ts.TypeFlags.BooleanLike) return 'boolean';
    return checker.typeToString(part).startsWith('Buffer') ? 'Buffer' : 'object';
  });
  return [...new Set(kinds)].toSorted();
}

const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  return Buffer.isBuffer(value) ? 'Buffer' : typeof value;
};

/** The kinds of values in two real rows of a table: one full, and one with null wherever null is allowed. */
async function realKinds(database: Database, entity: EntityClass<object> & { prototype: object }): Promise<Kinds> {
  return database.transaction(async (tx) => {
    const of = table(entity);
    const { text: name } = compiled(of);
    // It shadows the table of that name: without its guards and references, a row of samples may stand in it.
    await query(tx, `create temporary table ${name} (like public.${name}) on commit drop`);
    const columns = await query<{ name: string; type: string; nullable: boolean }>(
      tx,
      `select column_name as name, data_type as type, is_nullable = 'YES' as nullable
         from information_schema.columns where table_schema = 'public' and table_name = $1`,
      [name],
    );
    const names = columns.map((column) => column.name).join(', ');
    const full = columns.map(({ type }) => SAMPLES[type] ?? `no sample of ${type}`);
    const sparse = columns.map(({ nullable }, place) => (nullable ? 'null' : full[place]));
    await query(tx, `insert into ${name} (${names}) values (${full.join(', ')}), (${sparse.join(', ')})`);
    const read: Readonly<Record<string, unknown>>[] = await rows(tx, sql`select ${every(of)} from ${of}`);
    const properties = Object.keys(read[0] ?? {});
    return Object.fromEntries(
      properties.map((property) => [property, [...new Set(read.map((row) => kindOf(row[property])))].toSorted()]),
    );
  });
}

describe('the types of rows', () => {
  let db: TestDatabase;
  let types: ReadonlyMap<string, Kinds>;
  beforeAll(async () => {
    db = await freshDatabase();
    types = typesOfRows();
  });
  afterAll(() => db.drop());

  it.each(ENTITIES.map((entity) => [entity.name, entity] as const))(
    'are those of the values that pg delivers for %s',
    async (name, entity) => {
      expect(types.get(name)).toEqual(await realKinds(db.owner, entity));
    },
  );
});

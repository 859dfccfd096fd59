import { type EntityClass, EntitySchema, JsonType, UnderscoreNamingStrategy } from '@mikro-orm/core';
import type { Row } from './row.js';
import { join, Output, raw, sql, type SqlParameter, SqlText } from './sql.js';

const naming = new UnderscoreNamingStrategy();
const NAME = Symbol('name');
const COLUMNS = Symbol('columns');
const EVERY = Symbol('every');

interface PropertyOptions {
  readonly fieldName?: string;
  readonly type?: unknown;
  /** False for a property that statements compute. */
  readonly persist?: boolean;
}

interface ColumnOf {
  readonly name: string;
  readonly isJson: boolean;
}

/** A column of a table or of another relation, by its qualified name. `Value` is what pg delivers for it. */
export class Column<Value> extends SqlText {
  constructor(private readonly qualified: string) {
    super([qualified]);
  }

  /** Returns the column in the result under another name. */
  as<Name extends string>(name: Name): Output<{ readonly [N in Name]: Value }> {
    return new Output([`${this.qualified} as "${name}"`]);
  }

  /** The same for a nullable column that the statement's conditions keep from being null. */
  asNotNull<Name extends string>(name: Name): Output<{ readonly [N in Name]: NonNullable<Value> }> {
    return new Output([`${this.qualified} as "${name}"`]);
  }

  /** The same for a column of an outer join, which may be null. */
  asOrNull<Name extends string>(name: Name): Output<{ readonly [N in Name]: Value | null }> {
    return new Output([`${this.qualified} as "${name}"`]);
  }
}

/** A table: `${t}` names it in FROM, and `${t.amount}` is a qualified column, by the name of its property. */
export type Table<Entity> = SqlText & { readonly [P in keyof Entity & string]: Column<Row<Entity, P>[P]> } & {
  readonly [NAME]: string;
  readonly [COLUMNS]: ReadonlyMap<string, ColumnOf>;
  readonly [EVERY]: Output<Row<Entity, PropertyOf<Entity>>>;
};

type PropertyOf<Entity> = keyof Entity & string;
/** What may be written to a property: its value in the code, as pg delivers it, or SQL. */
type Written<Entity, P extends keyof Entity> = Entity[P] | Row<Entity, P>[P] | SqlText;

/** Makes the table of an entity, under its own name or an alias. */
export function table<Entity extends object>(
  entity: EntityClass<Entity> & { readonly prototype: Entity },
  alias?: string,
): Table<Entity> {
  const schema = EntitySchema.REGISTRY.get(entity);
  if (schema === undefined) throw new Error(`${entity.name} has no schema.`);
  const { tableName, properties } = schema.meta;
  const name = alias ?? tableName;
  const made = raw(alias === undefined ? tableName : `${tableName} as ${alias}`);
  const known = new Map<string, ColumnOf>();
  for (const [property, { fieldName, type, persist }] of Object.entries<PropertyOptions>(properties)) {
    if (persist === false) continue;
    const column = fieldName ?? naming.propertyToColumnName(property);
    known.set(property, { name: column, isJson: type === JsonType });
    Object.defineProperty(made, property, { value: new Column(`${name}.${column}`) });
  }
  const every = new Output([
    [...known].map(([property, column]) => `${name}.${column.name} as "${property}"`).join(', '),
  ]);
  return Object.assign(made, { [NAME]: name, [COLUMNS]: known, [EVERY]: every }) as unknown as Table<Entity>;
}

/** Returns columns of a table in the result, under the names of their properties. */
export function out<Entity, P extends PropertyOf<Entity>>(
  of: Table<Entity>,
  ...properties: readonly P[]
): Output<Row<Entity, P>> {
  return new Output([properties.map((p) => `${of[NAME]}.${columnOf(of, p).name} as "${p}"`).join(', ')]);
}

/** Returns all columns of a table in the result, for `entityOf`. */
export const every = <Entity>(of: Table<Entity>): Output<Row<Entity, PropertyOf<Entity>>> => of[EVERY];

/** Returns the names of columns in parentheses, for `insert into`. */
export function columns<Entity>(of: Table<Entity>, ...properties: readonly PropertyOf<Entity>[]): SqlText {
  return raw(`(${properties.map((property) => columnOf(of, property).name).join(', ')})`);
}

/** Returns `(columns) values (...)` of one row. */
export function values<Entity, P extends PropertyOf<Entity>>(
  of: Table<Entity>,
  row: { readonly [Property in P]: Written<Entity, Property> },
): SqlText {
  return sql`${columns(of, ...(Object.keys(row) as P[]))} values (${written(of, row)})`;
}

/** Returns `(columns) select ...` of one row, for an insert that depends on what follows: FROM and WHERE. */
export function selected<Entity, P extends PropertyOf<Entity>>(
  of: Table<Entity>,
  row: { readonly [Property in P]: Written<Entity, Property> },
): SqlText {
  return sql`${columns(of, ...(Object.keys(row) as P[]))} select ${written(of, row)}`;
}

function written<Entity>(of: Table<Entity>, row: object): SqlText {
  return join(
    Object.entries(row).map(([property, value]) => parameterOf(of, property, value)),
    ', ',
  );
}

/** Returns `column = value, ...` for the SET of an update. */
export function set<Entity, P extends PropertyOf<Entity>>(
  of: Table<Entity>,
  row: { readonly [Property in P]: Written<Entity, Property> },
): SqlText {
  const properties = Object.keys(row) as P[];
  const assignments = properties.map(
    (property) => sql`${raw(columnOf(of, property).name)} = ${parameterOf(of, property, row[property])}`,
  );
  return join(assignments, ', ');
}

function columnOf<Entity>(of: Table<Entity>, property: string): ColumnOf {
  const column = of[COLUMNS].get(property);
  if (column === undefined) throw new Error(`${of[NAME]} has no property ${property}.`);
  return column;
}

function parameterOf<Entity>(of: Table<Entity>, property: string, value: unknown): SqlText | SqlParameter {
  if (value instanceof SqlText) return value;
  // pg would send an array as an array of PostgreSQL.
  return columnOf(of, property).isJson && value !== null ? JSON.stringify(value) : (value as SqlParameter);
}

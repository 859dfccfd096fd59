import { join, Output, raw, sql, type SqlParameter, SqlText, type Statement } from './sql.js';
import { Column } from './table.js';

const NAME = Symbol('name');
const DEFINITION = Symbol('definition');

/** Rows that a statement makes for itself: `${r}` is their name, and `${r.amount}` one of their columns. */
export type Relation<Row> = SqlText & { readonly [Name in keyof Row & string]: Column<Row[Name]> } & {
  readonly [NAME]: string;
};

/** A named part of a statement, with its definition by the given arguments. */
export type Cte<Row, Given extends readonly unknown[] = []> = Relation<Row> & {
  readonly [DEFINITION]: (...given: Given) => SqlText;
};

/** Names the rows of a part of a statement. Write `${define(r)}` after `with`, and `${r}` after `from`. */
export function cte<Row>(name: string, statement: Statement<Row>): Cte<Row> {
  const definition = sql`${raw(name)} as (${statement})`;
  return Object.assign(relation<Row>(name), { [DEFINITION]: () => definition });
}

/**
 * Names the rows of a subselect. Write `${define(r)}` after `from` or `join`; for a function that makes the subselect, with
 * its arguments: `${define(r, id)}`.
 */
export function subselect<Row, Given extends readonly unknown[] = []>(
  name: string,
  statement: Statement<Row> | ((...given: Given) => Statement<Row>),
): Cte<Row, Given> {
  const defined = (...given: Given) =>
    sql`(${typeof statement === 'function' ? statement(...given) : statement}) ${raw(name)}`;
  return Object.assign(relation<Row>(name), { [DEFINITION]: defined });
}

/** Names rows that are written out, `(values ...)`. Write `${define(r)}` after `from` or `join`. */
export function lines<Name extends string>(
  name: string,
  rows: readonly Readonly<Record<Name, SqlText | SqlParameter>>[],
): Cte<Readonly<Record<Name, unknown>>> {
  const names = Object.keys(rows[0] ?? {}) as Name[];
  const tuples = rows.map(
    (row) =>
      sql`(${join(
        names.map((column) => row[column]),
        ', ',
      )})`,
  );
  const listed = names.map((column) => `"${column}"`).join(', ');
  const definition = sql`(values ${join(tuples, ', ')}) ${raw(`${name} (${listed})`)}`;
  return Object.assign(relation<Readonly<Record<Name, unknown>>>(name), { [DEFINITION]: () => definition });
}

/** Returns the definition of a part that `cte`, `subselect` or `lines` has named. */
export const define = <Given extends readonly unknown[]>(of: Cte<unknown, Given>, ...given: NoInfer<Given>): SqlText =>
  of[DEFINITION](...given);

/** Returns the definitions of parts, for `with`. */
export const defineAll = (parts: readonly Cte<unknown>[]): SqlText =>
  join(
    parts.map((part) => define(part)),
    ', ',
  );

/** Returns all columns of a relation in the result. */
export const all = <Row>(of: Relation<Row>): Output<Row> => new Output([`${of[NAME]}.*`]);

/** Names a relation with its columns, for rows that have no names: `` unnest(...) as ${named(wanted, 'contract')} ``. */
export const named = <Row>(of: Relation<Row>, ...columns: readonly (keyof Row & string)[]): SqlText =>
  raw(`${of[NAME]} (${columns.map((column) => `"${column}"`).join(', ')})`);

/**
 * Makes a relation whose columns exist only as types: for rows that `cte` and `subselect` cannot name, such as those of a
 * union or a recursion. Its type is that of a table or of a statement: `Row<Delivery, 'id'>`, `RowOf<typeof nextCause>`. Rows
 * that the code gives have no table; `given` and `lines` describe them.
 */
export function relation<Row>(name: string): Relation<Row> {
  const known = new Map<string, Column<unknown>>();
  const columnOf = (column: string): Column<unknown> => {
    const made = known.get(column) ?? new Column(`${name}."${column}"`);
    known.set(column, made);
    return made;
  };
  return new Proxy(Object.assign(raw(name), { [NAME]: name }), {
    get: (target, key) => (typeof key === 'symbol' ? Reflect.get(target, key) : columnOf(key)),
  }) as Relation<Row>;
}

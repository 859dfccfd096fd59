import { join, raw, sql, type SqlText } from './sql.js';
import type { Column } from './table.js';

declare const VALUE: unique symbol;

/** JSON that a statement builds, with the type of what pg parses from it. */
export type Json<Value> = SqlText & { readonly [VALUE]: Value };

/** A part of JSON. Columns of text, which may be large numbers or times, need `json.text` or `json.number`. */
type Member = Json<unknown> | Column<number | boolean | object | null>;

/** What pg parses from a part of JSON. */
export type ValueOf<Of> = Of extends Json<infer Value> ? Value : Of extends Column<infer Value> ? Value : never;

const typed = <Value>(text: SqlText): Json<Value> => text as Json<Value>;

/** Returns a column as a row has it: amounts, large numbers and times are text too. */
const text = <Value extends string | null>(column: Column<Value>): Json<Value> => typed(sql`${column}::text`);

/** Returns a computed amount or time as text. */
const digits = (computed: SqlText): Json<string> => typed(sql`(${computed})::text`);

/** Returns a large number, of a column or computed, as a number of JavaScript: only for those below 2^53. */
function number<Value>(column: Column<Value>): Json<number | Extract<Value, null>>;
function number(computed: SqlText): Json<number>;
function number(value: SqlText): Json<number> {
  return typed(value);
}

const boolean = (condition: SqlText): Json<boolean> => typed(sql`(${condition})`);

/** The same for a condition on nullable columns. */
const booleanOrNull = (condition: SqlText): Json<boolean | null> => typed(sql`(${condition})`);

/** A text that is always the same. */
const constant = <const Value extends string>(value: Value): Json<Value> => typed(sql`${value}::text`);

const object = <const Members extends Readonly<Record<string, Member>>>(
  members: Members,
): Json<{ readonly [Name in keyof Members]: ValueOf<Members[Name]> }> => {
  const listed = Object.entries(members).map(([name, member]) => sql`${raw(`'${name}'`)}, ${member}`);
  return typed(sql`json_build_object(${join(listed, ', ')})`);
};

const tuple = <const Members extends readonly Member[]>(
  ...members: Members
): Json<{ readonly [Place in keyof Members]: ValueOf<Members[Place]> }> =>
  typed(sql`json_build_array(${join(members, ', ')})`);

/** Collects rows as a list, which is null without any. */
const list = <Value>(of: Json<Value>, order: SqlText): Json<readonly Value[]> =>
  typed(sql`json_agg(${of} order by ${order})`);

/** Collects rows as an object, which is null without any. */
const map = <Value>(key: SqlText, of: Json<Value>): Json<Readonly<Record<string, Value>>> =>
  typed(sql`json_object_agg(${key}, ${of})`);

/** Builds JSON whose type follows from the columns in it: `` json.object({ id: json.text(deposit.id) }) ``. */
export const json = { text, digits, number, boolean, booleanOrNull, constant, object, tuple, list, map };

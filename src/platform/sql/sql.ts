/** A value that pg can send as a parameter of a statement. */
export type SqlParameter = string | number | bigint | boolean | Date | Buffer | null | readonly SqlParameter[];

const STRINGS = Symbol('strings');
const PARTS = Symbol('parts');

/**
 * SQL with other SQL and values in it. The values are sent as parameters and are never part of the text. Its fields are
 * symbols, because tables have their columns as properties.
 */
export class SqlText {
  /** The text around the parts: one piece more than there are parts. */
  readonly [STRINGS]: readonly string[];
  readonly [PARTS]: readonly Part[];

  constructor(strings: readonly string[], parts: readonly Part[] = []) {
    if (parts.includes(undefined as never)) throw new Error('A part of a statement is undefined.');
    this[STRINGS] = strings;
    this[PARTS] = parts;
  }
}

/** A part of a statement that names columns of its result. */
export class Output<Row> extends SqlText {
  /** The type of these columns; never set. A statement names its type otherwise, so that a nested one adds no columns. */
  declare readonly columns: Row;
}

/** A statement with the type of its rows. */
export class Statement<Row> extends SqlText {
  /** The type of a row; never set. */
  declare readonly row: Row;
}

/** The row of a statement, or of the function that makes it. */
export type RowOf<Of> = Of extends (...args: never[]) => infer Made
  ? RowOf<Made>
  : Of extends Statement<infer Row>
    ? Row
    : never;

type Part = SqlText | SqlParameter;

/** All columns of the outputs among the parts of a statement. */
type Outputs<Parts extends readonly unknown[]> = Parts extends readonly [infer First, ...infer Rest]
  ? (First extends Output<infer Row> ? Row : unknown) & Outputs<Rest>
  : unknown;

type Flat<Row> = { readonly [Name in keyof Row]: Row[Name] };

/**
 * Makes a statement, or a part of one: `` sql`select ${out(w, 'amount')} from ${w} where ${w.id} = ${id}` ``. Tables, columns
 * and other parts become text; everything else is a value. The rows have the type of the outputs.
 */
export function sql<const Parts extends readonly Part[]>(
  strings: TemplateStringsArray,
  ...parts: Parts
): Statement<Flat<Outputs<Parts>>> {
  return new Statement(strings, parts);
}

/** SQL from the code itself. Never call it with a value from outside. */
export const raw = (text: string): SqlText => new SqlText([text]);

/**
 * A number in the text itself. For a parameter PostgreSQL may plan for any number: of a `limit` it then expects a tenth of all
 * rows. Every number makes another statement to prepare, so there must be few.
 */
export const literal = (value: number | bigint): SqlText => raw(value.toString());

/** Joins parts, with text between them. */
export function join(parts: readonly Part[], separator: string): SqlText {
  const between = parts.slice(1).map(() => separator);
  return new SqlText(parts.length === 0 ? [''] : ['', ...between, ''], parts);
}

/** Returns the text with `$1`, `$2`, ... in the places of the values, and the values. */
export function compiled(sqlText: SqlText): { readonly text: string; readonly values: readonly SqlParameter[] } {
  const values: SqlParameter[] = [];
  return { text: textOf(sqlText, values), values };
}

/** Returns the text, and adds the values in its places to `values`. */
function textOf({ [STRINGS]: strings, [PARTS]: parts }: SqlText, values: SqlParameter[]): string {
  let text = strings[0] ?? '';
  for (const [place, part] of parts.entries()) {
    text += part instanceof SqlText ? textOf(part, values) : `$${values.push(part)}`;
    text += strings[place + 1] ?? '';
  }
  return text;
}

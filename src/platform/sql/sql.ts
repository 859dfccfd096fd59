/** A value that pg can send as a parameter of a statement. */
export type SqlParameter = string | number | bigint | boolean | Date | Buffer | null | readonly SqlParameter[];

const TEXTS = Symbol('texts');
const VALUES = Symbol('values');

/**
 * SQL with values in it. The values are sent as parameters and are never part of the text. Its fields are symbols, because
 * tables have their columns as properties.
 */
export class SqlText {
  /** The text between the values: one piece more than there are values. */
  readonly [TEXTS]: readonly string[];
  readonly [VALUES]: readonly SqlParameter[];

  constructor(texts: readonly string[], values: readonly SqlParameter[] = []) {
    this[TEXTS] = texts;
    this[VALUES] = values;
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
  const builder = new SqlBuilder();
  for (let place = 0; place < parts.length; place++) {
    builder.write(strings[place] ?? '');
    builder.add(parts[place]);
  }
  builder.write(strings[parts.length] ?? '');
  return builder.statement();
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
  const builder = new SqlBuilder();
  for (const [place, part] of parts.entries()) {
    if (place > 0) builder.write(separator);
    builder.add(part);
  }
  return builder.statement();
}

/** A statement while it is put together. */
class SqlBuilder {
  private readonly texts: string[] = [];
  private readonly values: SqlParameter[] = [];
  /** The text since the last value. */
  private last = '';

  write(text: string): void {
    this.last += text;
  }

  add(part: Part | undefined): void {
    if (part === undefined) throw new Error('A part of a statement is undefined.');
    if (!(part instanceof SqlText)) return this.addValue(part);
    const { [TEXTS]: texts, [VALUES]: values } = part;
    this.write(texts[0] ?? '');
    for (let place = 0; place < values.length; place++) {
      this.addValue(values[place] ?? null);
      this.write(texts[place + 1] ?? '');
    }
  }

  statement(): Statement<never> {
    this.texts.push(this.last);
    return new Statement(this.texts, this.values);
  }

  private addValue(value: SqlParameter): void {
    this.texts.push(this.last);
    this.values.push(value);
    this.last = '';
  }
}

/** Returns the text with `$1`, `$2`, ... in the places of the values, and the values. */
export function compiled(sqlText: SqlText): { readonly text: string; readonly values: readonly SqlParameter[] } {
  const text = sqlText[TEXTS].reduce((before, piece, place) => `${before}$${place}${piece}`);
  return { text, values: sqlText[VALUES] };
}

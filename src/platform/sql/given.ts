import { type Relation, relation } from './relation.js';
import { type SqlParameter, SqlText } from './sql.js';

/** The types of columns that a caller can give, with what the code gives and what pg delivers. */
interface Types {
  text: { given: string | null; delivered: string };
  boolean: { given: boolean | null; delivered: boolean };
  int: { given: number | null; delivered: number };
  bigint: { given: bigint | number | string | null; delivered: string };
  numeric: { given: bigint | string | null; delivered: string };
  /** JSON as text. */
  jsonb: { given: string | null; delivered: unknown };
  timestamptz: { given: Date | string | null; delivered: string };
}
type Shape = Readonly<Record<string, keyof Types>>;
type GivenRow<Columns extends Shape> = { readonly [Name in keyof Columns]: Types[Columns[Name]]['given'] };
type DeliveredRow<Columns extends Shape> = { readonly [Name in keyof Columns]: Types[Columns[Name]]['delivered'] };

const TEXTS = Symbol('texts');
const NAMES = Symbol('names');

/** Rows that the code gives to a statement. Each row has its position in `nth`, counted from 1. */
export type Given<Columns extends Shape> = Relation<DeliveredRow<Columns> & { readonly nth: string }> & {
  readonly [TEXTS]: readonly string[];
  readonly [NAMES]: readonly (keyof Columns & string)[];
};

/** Describes rows of the code: `` const leg = given('leg', { account: 'bigint', amount: 'numeric' }) ``. */
export function given<const Columns extends Shape>(name: string, types: Columns): Given<Columns> {
  const names: readonly (keyof Columns & string)[] = Object.keys(types);
  const listed = names.map((column) => `"${column}"`).join(', ');
  const between = names.slice(1).map((_column, place) => `::${types[names[place] ?? '']}[], `);
  const end = `::${types[names.at(-1) ?? '']}[]) with ordinality as ${name} (${listed}, nth)`;
  const made = relation<DeliveredRow<Columns> & { readonly nth: string }>(name);
  return Object.assign(made, { [TEXTS]: ['unnest(', ...between, end], [NAMES]: names });
}

/** Returns given rows for FROM: `` from ${unnest(leg, legs)} ``. */
export function unnest<Columns extends Shape>(of: Given<Columns>, rows: readonly GivenRow<Columns>[]): SqlText {
  const arrays = of[NAMES].map((column): SqlParameter => rows.map((row) => row[column]));
  return new SqlText(of[TEXTS], arrays);
}

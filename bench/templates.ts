import { place } from './compiled.ts';
import type { SqlText } from '../src/platform/sql/sql.ts';

const { compiled }: typeof import('../src/platform/sql/sql.js') = await import(place('platform/sql/sql.js'));

/** A statement of the service, prepared under its name, with names in the places of its values. */
export interface Template {
  readonly name: string;
  readonly text: string;
  readonly places: readonly unknown[];
}

/** The name of a value, for a place whose type is a number, a bigint or a date. */
export const named = (name: string): never => `$${name}` as never;

/** Makes a template of a statement that was built with names for values. */
export function template(name: string, statement: SqlText): Template {
  const { text, values } = compiled(statement);
  return { name, text, places: values };
}

type Values = Readonly<Record<string, unknown>>;

/** Returns the statement for pg, with these values. */
export const filled = (of: Template, values: Values) => filledForAll(of, [values]);

/**
 * Returns the statement for pg over several rows: a list in it has its elements for each row, one row after the other. A
 * place without a name is a constant of the service.
 */
export function filledForAll({ name, text, places }: Template, rows: readonly Values[]) {
  return {
    name,
    text,
    values: places.map((at) =>
      Array.isArray(at) ? rows.flatMap((values) => at.map((one) => valueOf(one, values))) : valueOf(at, rows[0] ?? {}),
    ),
  };
}

function valueOf(at: unknown, values: Values): unknown {
  // JSON values have quotes.
  const found = typeof at === 'string' ? /^"?\$(?<name>\w+)"?$/.exec(at)?.groups?.['name'] : undefined;
  return found === undefined ? at : values[found];
}

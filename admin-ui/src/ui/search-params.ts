/** Reads one search parameter; undefined when it is missing or not of its kind. */
export type Reader<Value> = (text: string) => Value | undefined;

const TEXT_MAX = 500;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/;

export const text: Reader<string> = (value) => (value === '' ? undefined : value.slice(0, TEXT_MAX));

export function oneOf<const Word extends string>(words: readonly Word[]): Reader<Word> {
  return (value) => words.find((word) => word === value);
}

/** A time in UTC, as the service takes it. */
export const time: Reader<string> = (value) => (ISO_TIME.test(value) && isOnCalendar(value) ? value : undefined);

/** Whether the day exists: browsers read 30 February as 2 March. */
function isOnCalendar(value: string): boolean {
  const at = new Date(value);
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === value.slice(0, 10);
}

/**
 * Makes `validateSearch` of a route from the readers of its parameters. What a person has broken in an address is set to undefined, so that a page always shows something.
 */
export function searchOf<Shape extends object>(readers: { readonly [Name in keyof Shape]: Reader<Shape[Name]> }) {
  return (search: Record<string, unknown>): Partial<Shape> => {
    const found: Partial<Shape> = {};
    for (const name of Object.keys(readers) as (keyof Shape & string)[]) {
      const value = search[name];
      // Set in any case: the router keeps parameters that are left out.
      found[name] = typeof value === 'string' ? readers[name](value) : undefined;
    }
    return found;
  };
}

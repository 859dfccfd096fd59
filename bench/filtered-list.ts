import type { ConsoleView } from './console-figures.ts';
import type { Stage } from './stage.ts';

/** A list of the console with one of its filters. */
export interface FilteredList {
  readonly name: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The rows that the filter finds, as SQL: tables, and a condition. */
  readonly from: string;
  /** The order of the list, and the id of a row in it, as SQL. */
  readonly order: string;
  readonly id: string;
}

const DAY_MS = 86_400_000;

/** Both ends of a filter by dates, from and until so many days ago. */
export function dates(fromDays: number, untilDays: number): Readonly<Record<'created_gte' | 'created_lt', string>> {
  const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
  return { created_gte: daysAgo(fromDays), created_lt: daysAgo(untilDays) };
}

/** The SQL of a filter by dates. */
export const between = ({ created_gte: from, created_lt: until }: ReturnType<typeof dates>): string =>
  `created_at >= '${from}' and created_at < '${until}'`;

/** Returns the first page of a list and the one after the row in its middle. @throws Error when nothing matches */
export async function viewOf(stage: Stage, { name, path, query, from, order, id }: FilteredList): Promise<ConsoleView> {
  const [middle] = await stage.query<{ id: string }>(
    `select id from (
       select ${id} as id, row_number() over (order by ${order}) as place, count(*) over () as total from ${from}) listed
      where place = (total + 1) / 2`,
  );
  if (middle === undefined) throw new Error(`No row matches "${name}".`);
  const pageOf = (more: Readonly<Record<string, string>>): string => {
    const text = new URLSearchParams({ ...query, ...more }).toString();
    return text === '' ? path : `${path}?${text}`;
  };
  return { name, paths: [pageOf({}), pageOf({ starting_after: middle.id })] };
}

import { sql, type SqlText } from './sql.js';

/** The last item of the previous page, in a list by time: a parameter of the page's statement. */
export interface TimeCursor {
  readonly createdAt: string;
  readonly id: string;
}

/** The dates of a list by time. */
export interface TimeWindow {
  readonly created_gte?: Date | undefined;
  readonly created_lt?: Date | undefined;
}

/** The columns that order a list by time. */
interface ByTime {
  readonly createdAt: SqlText;
  readonly id: SqlText;
}

/** The order of a list by time. */
export const newestFirst = ({ createdAt, id }: ByTime): SqlText => sql`order by ${createdAt} desc, ${id} desc`;

/** Returns the conditions that limit a list by time to its dates and to the items after the cursor. */
export function withinTime(
  { createdAt, id }: ByTime,
  { created_gte: from, created_lt: until }: TimeWindow,
  cursor: TimeCursor | null,
): SqlText[] {
  const conditions: SqlText[] = [];
  if (from !== undefined) conditions.push(sql`${createdAt} >= ${from}`);
  if (cursor !== null && isBoundByCursor(cursor, until)) {
    conditions.push(sql`(${createdAt}, ${id}) < (${cursor.createdAt}, ${cursor.id})`);
  } else if (until !== undefined) {
    conditions.push(sql`${createdAt} < ${until}`);
  }
  return conditions;
}

/**
 * Whether the cursor is a tighter upper bound of a list by time than `until`. A statement may contain only the tighter of
 * the two: PostgreSQL may enter the index at either, and from the looser one it would read all rows up to the page.
 */
function isBoundByCursor(cursor: TimeCursor, until: Date | undefined): boolean {
  return until === undefined || new Date(cursor.createdAt) < until;
}

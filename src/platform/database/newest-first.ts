import type { Conditions } from './conditions.js';

/** The order of a list by time. */
export const NEWEST_FIRST = 'order by created_at desc, id desc';

/** The last item of the previous page, in a list by time. */
export interface TimeCursor {
  readonly created_at: string;
  readonly id: string;
}

/** The dates of a list by time. */
export interface TimeWindow {
  readonly created_gte?: Date | undefined;
  readonly created_lt?: Date | undefined;
}

/**
 * Whether the cursor is a tighter upper bound of a list by time than `until`. A statement may contain only the tighter of
 * the two: PostgreSQL may enter the index at either, and from the looser one it would read all rows up to the page.
 */
function isBoundByCursor(cursor: Pick<TimeCursor, 'created_at'>, until: Date | undefined): boolean {
  return until === undefined || new Date(cursor.created_at) < until;
}

/** Limits a list by time to its dates and to the items after the cursor. */
export function boundByTime(
  where: Conditions,
  { created_gte: from, created_lt: until }: TimeWindow,
  cursor: TimeCursor | null,
): void {
  if (from !== undefined) where.and('created_at >= ?', from);
  if (cursor !== null && isBoundByCursor(cursor, until)) {
    where.and('(created_at, id) < (?, ?)', cursor.created_at, cursor.id);
  } else if (until !== undefined) {
    where.and('created_at < ?', until);
  }
}

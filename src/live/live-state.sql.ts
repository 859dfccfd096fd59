import { as } from '../platform/sql/as.js';
import { type RowOf, sql } from '../platform/sql/sql.js';
import { sessionsOpenAmong } from '../staff/staff-sessions.sql.js';
import { changeMarks } from './change-marks.sql.js';
import type { ChangeMark } from './mark.sql.js';

/** Reads the marks of all topics, and which of the sessions are still open: one statement for all streams of a process. */
export const liveState = (sessionIds: readonly string[]) => sql`
  select (select coalesce(json_agg(marks), '[]') from (${changeMarks}) marks) ${as.json<readonly ChangeMark[]>()('marks')},
         (select coalesce(json_agg(still_open), '[]') from (${sessionsOpenAmong(sessionIds)}) still_open)
           ${as.json<readonly RowOf<typeof sessionsOpenAmong>[]>()('sessions')}`;

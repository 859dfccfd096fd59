import { as } from '../platform/sql/as.js';
import { json } from '../platform/sql/json.js';
import { define, relation, subselect } from '../platform/sql/relation.js';
import { sql } from '../platform/sql/sql.js';
import { sessionsOpenAmong } from '../staff/staff-sessions.sql.js';
import { changeMarks } from './change-marks.sql.js';
import type { ChangeMark } from './mark.sql.js';

const change = relation<ChangeMark>('change');
const marks = json.list(
  json.object({
    topic: json.text(change.topic),
    environment: json.text(change.environment),
    mark: json.text(change.mark),
  }),
  change.topic,
);

const stillOpen = subselect('still_open', sessionsOpenAmong);
const sessions = json.list(
  json.object({
    id: json.text(stillOpen.id),
    sandboxRole: json.text(stillOpen.sandboxRole),
    liveRole: json.text(stillOpen.liveRole),
  }),
  stillOpen.id,
);

/** Reads the marks of all topics, and which of the sessions are still open: one statement for all streams of a process. */
export const liveState = (sessionIds: readonly string[]) => sql`
  select (select coalesce(${marks}, '[]') from (${changeMarks}) ${change}) ${as.jsonOf(marks)('marks')},
         (select coalesce(${sessions}, '[]') from ${define(stillOpen, sessionIds)}) ${as.jsonOf(sessions)('sessions')}`;

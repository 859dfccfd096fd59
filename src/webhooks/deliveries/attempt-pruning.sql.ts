import { sql } from '../../platform/sql/sql.js';
import { set, table } from '../../platform/sql/table.js';
import { DeliveryAttempt } from './delivery-attempt.entity.js';

const attempt = table(DeliveryAttempt);

/** The oldest attempts with or without a kept answer, by the index `delivery_attempt_age`. */
const oldest = (hasAnswer: boolean, days: number, limit: number) => sql`
  select ctid from ${attempt}
   where (${attempt.responseHeaders} is null)::int = ${hasAnswer ? 0 : 1}
     and ${attempt.startedAt} < now() - ${days}::int * interval '1 day'
   order by ${attempt.startedAt} limit ${limit} for update skip locked`;

/** Deletes what receivers answered to attempts older than some days: headers and body. The status stays. */
export const deleteOldAnswers = (days: number, limit: number) => sql`
  update ${attempt} set ${set(attempt, { responseHeaders: sql`null`, responseBody: sql`null` })}
   where ctid in (${oldest(true, days, limit)})
  returning 1`;

/** Deletes attempts without an answer that are older than some days. The delivery keeps their number and the last outcome. */
export const deleteOldAttempts = (days: number, limit: number) => sql`
  delete from ${attempt} where ctid in (${oldest(false, days, limit)}) returning 1`;

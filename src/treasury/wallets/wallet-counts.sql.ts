import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';

/** Checks whether a time is in the last five minutes, by the database's clock. */
export const isOfLastMinutes = (time: Date) => sql`
  select ${time}::timestamptz > clock_timestamp() - interval '5 minutes' ${as.boolean('isRecent')}`;

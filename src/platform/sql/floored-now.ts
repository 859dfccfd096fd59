import { sql } from './sql.js';

/** The start of the transaction in whole milliseconds. A column rounds `now()`, half of the time to a moment that lies ahead. */
export const flooredNow = sql`date_trunc('milliseconds', now())`;

import { sql } from '../platform/sql/sql.js';

/** Makes all statements of a transaction read one snapshot, and write nothing. It must be the first statement. */
export const readOneSnapshot = sql`set transaction isolation level repeatable read, read only`;

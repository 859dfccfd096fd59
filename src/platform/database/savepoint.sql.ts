import { sql } from '../sql/sql.js';

/** Begins a savepoint. */
export const beginSavepoint = sql`savepoint nested`;

/** Checks all deferred constraints now. */
export const checkConstraints = sql`set constraints all immediate`;

/** Lets deferred constraints wait for the commit again. */
export const deferConstraints = sql`set constraints all deferred`;

/** Ends the savepoint, and keeps its changes. */
export const releaseSavepoint = sql`release savepoint nested`;

/** Undoes the changes since the savepoint. */
export const rollBackToSavepoint = sql`rollback to savepoint nested`;

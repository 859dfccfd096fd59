import { type Tx, sql } from './database.js';

/**
 * Runs `work` in a savepoint of the transaction. When it fails, only its changes are rolled back, and the transaction
 * continues. Deferred constraints are checked at its end: one that fails at the commit would undo the whole transaction.
 */
export async function inSavepoint<Result>(tx: Tx, work: () => Promise<Result>): Promise<Result> {
  await sql(tx, `savepoint nested`);
  try {
    const result = await work();
    await sql(tx, `set constraints all immediate`);
    await sql(tx, `set constraints all deferred`);
    await sql(tx, `release savepoint nested`);
    return result;
  } catch (error) {
    await sql(tx, `rollback to savepoint nested`);
    throw error;
  }
}

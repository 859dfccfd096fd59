import { rows, type Tx } from './database.js';
import {
  beginSavepoint,
  checkConstraints,
  deferConstraints,
  releaseSavepoint,
  rollBackToSavepoint,
} from './savepoint.sql.js';

/**
 * Runs `work` in a savepoint of the transaction. When it fails, only its changes are rolled back, and the transaction
 * continues. Deferred constraints are checked at its end: one that fails at the commit would undo the whole transaction.
 */
export async function inSavepoint<Result>(tx: Tx, work: () => Promise<Result>): Promise<Result> {
  await rows(tx, beginSavepoint);
  try {
    const result = await work();
    await rows(tx, checkConstraints);
    await rows(tx, deferConstraints);
    await rows(tx, releaseSavepoint);
    return result;
  } catch (error) {
    // When the connection is gone this fails too, and the first error says why.
    await rows(tx, rollBackToSavepoint).catch(() => undefined);
    throw error;
  }
}

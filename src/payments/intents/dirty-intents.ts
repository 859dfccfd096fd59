import { rows, type Tx } from '../../platform/database/database.js';
import { insertMarks } from './dirty-intents.sql.js';

/**
 * Marks intents whose facts changed. A settlement deletes the mark first and reads the facts afterwards, so a change
 * that commits in between leaves a new mark.
 */
export async function markDirty(tx: Tx, intentIds: readonly string[]): Promise<void> {
  if (intentIds.length > 0) await rows(tx, insertMarks(intentIds));
}

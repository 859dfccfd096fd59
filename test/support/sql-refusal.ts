import type { Database } from '../../src/platform/database/database.js';
import type { SqlParameter } from '../../src/platform/sql/sql.js';
import { query } from './sql.js';

/** Returns PostgreSQL's error for a statement that it must refuse; throws when it succeeds. */
export async function sqlRefusalOf(
  database: Database,
  text: string,
  parameters: readonly SqlParameter[] = [],
): Promise<string> {
  try {
    await query(database, text, parameters);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error(`PostgreSQL accepted the statement: ${text}`);
}

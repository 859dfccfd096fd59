import type { Database, SqlParameter } from '../../src/platform/database/database.js';

/** Returns PostgreSQL's error for a statement that it must refuse; throws when it succeeds. */
export async function sqlRefusalOf(
  database: Database,
  text: string,
  parameters: readonly SqlParameter[] = [],
): Promise<string> {
  try {
    await database.query(text, parameters);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error(`PostgreSQL accepted the statement: ${text}`);
}

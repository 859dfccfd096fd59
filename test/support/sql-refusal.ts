import type { Database, SqlParameter } from '../../src/platform/database/database.js';

/** What PostgreSQL answers to a statement that must not pass; throws when it passes. */
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
  throw new Error(`PostgreSQL let this pass: ${text}`);
}

import type { Database } from '../../src/platform/database/database.js';
import { as } from '../../src/platform/sql/as.js';
import type { PlannedWrite } from '../../src/platform/sql/planned-write.js';
import { defineAll } from '../../src/platform/sql/relation.js';
import { sql } from '../../src/platform/sql/sql.js';

/** Runs a planned write without an idempotency key, and returns the object with the values of the database. */
export async function writePlanned<Presented extends object>(
  database: Database,
  { statement, inTransaction, committed }: PlannedWrite<Presented>,
): Promise<Presented> {
  if (statement !== null) {
    const { steps, effect } = statement.parts(sql`true`);
    const json = statement.values.substituted(JSON.stringify(statement.presented));
    const written = await database.write(
      sql`with ${defineAll(steps)} select (select ${json} from ${effect}) ${as.textOrNull('json')}`,
      statement,
    );
    if (written.json !== null) {
      committed?.();
      return JSON.parse(written.json);
    }
  }
  if (inTransaction === undefined) throw new Error('The planned write wrote nothing.');
  return database.transaction(inTransaction);
}

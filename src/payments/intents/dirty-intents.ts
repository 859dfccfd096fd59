import { type Tx, sql } from '../../platform/database/database.js';

/**
 * Marks intents whose facts changed. A settlement deletes the mark first and reads the facts afterwards, so a change
 * that commits in between leaves a new mark.
 */
export async function markDirty(tx: Tx, intentIds: readonly string[]): Promise<void> {
  if (intentIds.length === 0) return;
  await sql(
    tx,
    `insert into dirty_intent (intent_id) select id from unnest($1::text[]) as id order by id
     on conflict (intent_id) do update set marked_at = now(), quarantined_at = null, failures = 0`,
    [intentIds.toSorted()],
  );
}

import { sql } from '../../platform/sql/sql.js';
import { DirtyIntent } from '../../payments/intents/dirty-intent.entity.js';
import { out, table } from '../../platform/sql/table.js';

const dirty = table(DirtyIntent);

/** Reads quarantined intents, the oldest quarantine first. */
export const quarantinedIntents = (limit: number) => sql`
  select ${out(dirty, 'intentId', 'lastError')}, ${dirty.quarantinedAt.asNotNull('quarantinedAt')} from ${dirty}
   where ${dirty.quarantinedAt} is not null order by ${dirty.quarantinedAt} limit ${limit}`;

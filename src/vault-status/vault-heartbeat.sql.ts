import { as } from '../platform/sql/as.js';
import { sql } from '../platform/sql/sql.js';
import { columns, set, table, values } from '../platform/sql/table.js';
import { VaultPresence } from './vault-presence.entity.js';

const presence = table(VaultPresence);
const newer = table(VaultPresence, 'excluded');

/** Records that a vault is open now. */
export const recordPresence = sql`
  insert into ${presence} ${values(presence, { id: 1, seenAt: sql`now()` })}
  on conflict ${columns(presence, 'id')} do update set ${set(presence, { seenAt: newer.seenAt })}
   where ${presence.seenAt} < ${newer.seenAt}`;

/** Reads how many seconds ago an open vault was last seen. */
export const secondsSinceSeen = sql`
  select extract(epoch from clock_timestamp() - ${presence.seenAt})::int ${as.int('seconds')} from ${presence}`;

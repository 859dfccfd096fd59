import { sql } from '../platform/sql/sql.js';
import { out, set, table } from '../platform/sql/table.js';
import { ApiKey } from './api-key.entity.js';

const key = table(ApiKey);

/** A key works: it is neither revoked nor past its end. */
export const isWorking = sql`${key.revokedAt} is null and (${key.expiresAt} is null or ${key.expiresAt} > now())`;

/** Finds the caller with a working key of this hash. */
export const findCaller = (hash: string) => sql`
  select ${key.id.as('apiKeyId')}, ${out(key, 'merchantId', 'environment', 'scopes')} from ${key}
   where ${key.keyHash} = ${hash} and ${isWorking}`;

/** Revokes a key, unless it is revoked, and returns it. */
export const markRevoked = (id: string) => sql`
  update ${key} set ${set(key, { revokedAt: sql`coalesce(${key.revokedAt}, now())` })}
   where ${key.id} = ${id} returning ${out(key, 'id')}`;

/**
 * Notes that keys are used, unless that was noted within a minute. Skips rows that another process is writing, because it
 * notes the same keys.
 */
export const noteUses = (ids: readonly string[]) => sql`
  update ${key} set ${set(key, { lastUsedAt: sql`now()` })}
   where ${key.id} in (
     select ${key.id} from ${key}
      where ${key.id} = any(${ids}) and (${key.lastUsedAt} is null or ${key.lastUsedAt} < now() - interval '1 minute')
        for no key update skip locked)`;

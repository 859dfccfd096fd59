import { as } from '../platform/sql/as.js';
import { given, unnest } from '../platform/sql/given.js';
import { all, define, subselect } from '../platform/sql/relation.js';
import { sql } from '../platform/sql/sql.js';
import { columns, out, table } from '../platform/sql/table.js';
import { AuditSeal } from './audit-seal.entity.js';
import type { SealedAction } from './audit-seal.js';
import { textsOf } from './audit-texts.sql.js';
import { UnsealedAuditEntry } from './unsealed-audit-entry.entity.js';

const unsealed = table(UnsealedAuditEntry);
const seal = table(AuditSeal);
const written = given('written', { sequence: 'bigint', entryId: 'bigint', contentHash: 'text', hash: 'text' });

/** Waits until no other process seals. */
export const takeSealingTurn = sql`select pg_advisory_xact_lock(hashtextextended(${'coffer:audit.seal'}, 0))`;

const oldestUnsealed = (limit: number) => sql`
  select ${out(unsealed, 'entryId')} from ${unsealed} order by ${unsealed.entryId} limit ${limit}`;
const waiting = subselect('waiting', oldestUnsealed);
const said = textsOf(waiting.entryId);

/**
 * Reads the oldest entries that wait for their seal. The queue and not the highest id says what waits: an entry that commits
 * late has a lower id than those that are sealed. One may be sealed already: it was put into the queue again.
 */
export const waitingEntries = (limit: number) => sql`
  select ${waiting.entryId.as('entryId')}, ${all(said)},
         exists (select from ${seal} where ${seal.entryId} = ${waiting.entryId}) ${as.boolean('isSealed')}
    from ${define(waiting, limit)} cross join lateral ${define(said)} order by ${waiting.entryId}`;

/** Reads the last link of the hash chain. */
export const lastSeal = sql`select ${out(seal, 'sequence', 'hash')} from ${seal} order by ${seal.sequence} desc limit 1`;

/** Appends links to the hash chain. */
export const insertSeals = (seals: readonly (SealedAction & { readonly hash: string })[]) => sql`
  insert into ${seal} ${columns(seal, 'sequence', 'entryId', 'contentHash', 'hash')}
  select ${written.sequence}, ${written.entryId}, ${written.contentHash}, ${written.hash}
    from ${unnest(written, seals)} order by ${written.sequence}`;

/** Removes entries from the queue. */
export const deleteUnsealed = (entryIds: readonly string[]) => sql`
  delete from ${unsealed} where ${unsealed.entryId} = any(${entryIds})`;

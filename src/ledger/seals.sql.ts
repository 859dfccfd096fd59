import { as } from '../platform/sql/as.js';
import { given, unnest } from '../platform/sql/given.js';
import { define, subselect } from '../platform/sql/relation.js';
import { sql } from '../platform/sql/sql.js';
import { columns, out, table } from '../platform/sql/table.js';
import { Entry } from './entry.entity.js';
import { LedgerSeal } from './ledger-seal.entity.js';
import type { SealedEntry } from './seal-chain.js';
import { UnsealedEntry } from './unsealed-entry.entity.js';

const entry = table(Entry);
const unsealed = table(UnsealedEntry);
const seal = table(LedgerSeal);
const written = given('written', { sequence: 'bigint', entryId: 'text', contentHash: 'text', hash: 'text' });

/** Waits until no other process seals. */
export const takeSealingTurn = sql`select pg_advisory_xact_lock(hashtextextended(${'coffer:ledger.seal'}, 0))`;

const oldestUnsealed = (limit: number) => sql`
  select ${out(unsealed, 'entryId')} from ${unsealed} order by ${unsealed.entryId} limit ${limit}`;
const waiting = subselect('waiting', oldestUnsealed);

/** Reads the oldest entries that wait for their seal. One may be sealed already: it was put into the queue again. */
export const waitingEntries = (limit: number) => sql`
  select ${out(entry, 'id', 'contentHash')},
         to_char(${entry.createdAt} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') ${as.text('bookedAt')},
         exists (select from ${seal} where ${seal.entryId} = ${entry.id}) ${as.boolean('isSealed')}
    from ${define(waiting, limit)} join ${entry} on ${entry.id} = ${waiting.entryId} order by ${entry.id}`;

/** Reads the last link of the hash chain. */
export const lastSeal = sql`select ${out(seal, 'sequence', 'hash')} from ${seal} order by ${seal.sequence} desc limit 1`;

/** Appends links to the hash chain. */
export const insertSeals = (seals: readonly (SealedEntry & { readonly hash: string })[]) => sql`
  insert into ${seal} ${columns(seal, 'sequence', 'entryId', 'contentHash', 'hash')}
  select ${written.sequence}, ${written.entryId}, ${written.contentHash}, ${written.hash}
    from ${unnest(written, seals)} order by ${written.sequence}`;

/** Removes entries from the queue. */
export const deleteUnsealed = (entryIds: readonly string[]) => sql`
  delete from ${unsealed} where ${unsealed.entryId} = any(${entryIds})`;

import { Injectable } from '@nestjs/common';
import { Database, type Tx, sql } from '../platform/database/database.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { BEFORE_FIRST_SEAL, type SealedEntry, sealHash } from './seal-chain.js';

const BATCH = 1_000;

interface WaitingEntry {
  readonly id: string;
  readonly booked_at: string;
  readonly content_hash: string;
  /** The entry was put into the queue again. */
  readonly is_sealed: boolean;
}

/**
 * Chains committed entries by their hashes, so that booking never waits for a place in the chain, and the chain never waits
 * for an open transaction.
 */
@Injectable()
export class Sealer {
  constructor(private readonly database: Database) {}

  /** Seals the booked entries and returns how many waited. Any number of processes may call it: they take turns. */
  @RecurringJob({ role: 'worker', every: 5_000, leader: 'scheduler' })
  async seal(): Promise<number> {
    let total = 0;
    for (;;) {
      const sealed = await this.database.transaction((tx) => sealBatch(tx));
      total += sealed;
      if (sealed < BATCH) return total;
    }
  }
}

async function sealBatch(tx: Tx): Promise<number> {
  // Waits for the lock in a separate statement, so that the next ones see the writes of the previous sealer.
  await sql(tx, `select pg_advisory_xact_lock(hashtextextended($1, 0))`, ['coffer:ledger.seal']);
  const waiting = await sql<WaitingEntry>(
    tx,
    `select entry.id, entry.content_hash,
            to_char(entry.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as booked_at,
            exists (select from ledger_seal where entry_id = entry.id) as is_sealed
       from (select entry_id from unsealed_entry order by entry_id limit $1) waiting
       join entry on entry.id = waiting.entry_id order by entry.id`,
    [BATCH],
  );
  if (waiting.length === 0) return 0;
  const unsealed = waiting.filter(({ is_sealed: isSealed }) => !isSealed);
  const [last] = await sql<{ sequence: string; hash: string }>(
    tx,
    `select sequence, hash from ledger_seal order by sequence desc limit 1`,
  );
  await writeSeals(tx, chained(unsealed, last ?? { sequence: '0', hash: BEFORE_FIRST_SEAL }));
  await sql(tx, `delete from unsealed_entry where entry_id = any($1)`, [waiting.map(({ id }) => id)]);
  return waiting.length;
}

type Seal = SealedEntry & { readonly hash: string };

function chained(waiting: readonly WaitingEntry[], last: { sequence: string; hash: string }): Seal[] {
  let previous = last.hash;
  return waiting.map((entry, place) => {
    const sealed: SealedEntry = {
      sequence: Number(last.sequence) + place + 1,
      entryId: entry.id,
      bookedAt: entry.booked_at,
      contentHash: entry.content_hash,
    };
    previous = sealHash(previous, sealed);
    return { ...sealed, hash: previous };
  });
}

async function writeSeals(tx: Tx, seals: readonly Seal[]): Promise<void> {
  await sql(
    tx,
    `insert into ledger_seal (sequence, entry_id, content_hash, hash)
     select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) as seal (sequence) order by sequence`,
    [
      seals.map(({ sequence }) => sequence),
      seals.map(({ entryId }) => entryId),
      seals.map(({ contentHash }) => contentHash),
      seals.map(({ hash }) => hash),
    ],
  );
}

import { Injectable } from '@nestjs/common';
import { Database, rows, type Tx } from '../platform/database/database.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import type { RowOf } from '../platform/sql/sql.js';
import { deleteUnsealed, insertSeals, lastSeal, takeSealingTurn, waitingEntries } from './seals.sql.js';
import { BEFORE_FIRST_SEAL, type SealedEntry, sealHash } from './seal-chain.js';

const BATCH = 1_000;

type WaitingEntry = RowOf<typeof waitingEntries>;

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
  await rows(tx, takeSealingTurn);
  const waiting = await rows(tx, waitingEntries(BATCH));
  if (waiting.length === 0) return 0;
  const unsealed = waiting.filter(({ isSealed }) => !isSealed);
  const [last] = await rows(tx, lastSeal);
  await rows(tx, insertSeals(chained(unsealed, last ?? { sequence: '0', hash: BEFORE_FIRST_SEAL })));
  await rows(tx, deleteUnsealed(waiting.map(({ id }) => id)));
  return waiting.length;
}

type Seal = SealedEntry & { readonly hash: string };

function chained(waiting: readonly WaitingEntry[], last: RowOf<typeof lastSeal>): Seal[] {
  let previous = last.hash;
  return waiting.map((entry, place) => {
    const sealed: SealedEntry = {
      sequence: Number(last.sequence) + place + 1,
      entryId: entry.id,
      bookedAt: entry.bookedAt,
      contentHash: entry.contentHash,
    };
    previous = sealHash(previous, sealed);
    return { ...sealed, hash: previous };
  });
}

import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { type SealedChain, sealWaiting } from '../platform/sealing/sealed-chain.js';
import type { RowOf } from '../platform/sql/sql.js';
import { deleteUnsealed, insertSeals, lastSeal, takeSealingTurn, waitingEntries } from './seals.sql.js';
import { type SealedEntry, sealHash } from './seal-chain.js';

const LEDGER_CHAIN: SealedChain<RowOf<typeof waitingEntries>, SealedEntry> = {
  takeTurn: takeSealingTurn,
  waiting: waitingEntries,
  last: lastSeal,
  linkOf: ({ id, bookedAt, contentHash }, sequence) => ({ sequence, entryId: id, bookedAt, contentHash }),
  hashOf: sealHash,
  append: insertSeals,
  remove: (waiting) => deleteUnsealed(waiting.map(({ id }) => id)),
};

/**
 * Chains committed entries by their hashes, so that booking never waits for a place in the chain, and the chain never waits
 * for an open transaction.
 */
@Injectable()
export class Sealer {
  constructor(private readonly database: Database) {}

  /** Seals the booked entries and returns how many waited. Any number of processes may call it: they take turns. */
  @RecurringJob({ role: 'worker', every: 5_000, leader: 'scheduler' })
  seal(): Promise<number> {
    return sealWaiting(this.database, LEDGER_CHAIN);
  }
}

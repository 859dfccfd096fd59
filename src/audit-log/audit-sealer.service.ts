import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { type SealedChain, sealWaiting } from '../platform/sealing/sealed-chain.js';
import type { RowOf } from '../platform/sql/sql.js';
import { auditContentHash, auditSealHash, type SealedAction } from './audit-seal.js';
import { deleteUnsealed, insertSeals, lastSeal, takeSealingTurn, waitingEntries } from './audit-seals.sql.js';

const AUDIT_CHAIN: SealedChain<RowOf<typeof waitingEntries>, SealedAction> = {
  takeTurn: takeSealingTurn,
  waiting: waitingEntries,
  last: lastSeal,
  linkOf: (entry, sequence) => ({ sequence, entryId: entry.entryId, contentHash: auditContentHash(entry) }),
  hashOf: auditSealHash,
  append: insertSeals,
  remove: (waiting) => deleteUnsealed(waiting.map(({ entryId }) => entryId)),
};

/**
 * Chains committed entries of the audit log by their hashes, so that an action never waits for a place in the chain, and the
 * chain never waits for an open transaction.
 */
@Injectable()
export class AuditSealer {
  constructor(private readonly database: Database) {}

  /** Seals the entries that wait and returns how many did. Any number of processes may call it: they take turns. */
  @RecurringJob({ role: 'worker', every: 5_000, leader: 'scheduler' })
  seal(): Promise<number> {
    return sealWaiting(this.database, AUDIT_CHAIN);
  }
}

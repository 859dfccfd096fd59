import { Injectable } from '@nestjs/common';
import { BEFORE_FIRST_LINK } from '../domain/hash-chain.js';
import { Database, rows, type Tx } from '../platform/database/database.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import type { RowOf } from '../platform/sql/sql.js';
import { auditContentHash, auditSealHash, type SealedAction } from './audit-seal.js';
import { deleteUnsealed, insertSeals, lastSeal, takeSealingTurn, waitingEntries } from './audit-seals.sql.js';

const BATCH = 1_000;

/**
 * Chains committed entries of the audit log by their hashes, so that an action never waits for a place in the chain, and the
 * chain never waits for an open transaction.
 */
@Injectable()
export class AuditSealer {
  constructor(private readonly database: Database) {}

  /** Seals the entries that wait and returns how many did. Any number of processes may call it: they take turns. */
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
  await rows(tx, insertSeals(chained(unsealed, last ?? { sequence: '0', hash: BEFORE_FIRST_LINK })));
  await rows(tx, deleteUnsealed(waiting.map(({ entryId }) => entryId)));
  return waiting.length;
}

type Seal = SealedAction & { readonly hash: string };

function chained(waiting: readonly RowOf<typeof waitingEntries>[], last: RowOf<typeof lastSeal>): Seal[] {
  let previous = last.hash;
  return waiting.map((entry, place) => {
    const sealed: SealedAction = {
      sequence: Number(last.sequence) + place + 1,
      entryId: entry.entryId,
      contentHash: auditContentHash(entry),
    };
    previous = auditSealHash(previous, sealed);
    return { ...sealed, hash: previous };
  });
}

import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../platform/config.js';
import { Database, row, rows, type Tx } from '../platform/database/database.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import type { PlannedStatement } from '../platform/sql/planned-write.js';
import type { RowOf, SqlText } from '../platform/sql/sql.js';
import { keyText } from './answer-key.js';
import { claimWrite, deleteOldAnswers, findAnswer, insertAnswer, writeAtOnce } from './kept-answers.sql.js';
import { keyOf, type WriteRequest } from './write-request.js';

const PRUNE_BATCH = 1_000;

/** A kept answer. */
export type KeptAnswer = RowOf<typeof findAnswer>;

/** The result of claiming a write: its kept answer, permission to run it, or another request is running it. */
export type Claim = KeptAnswer | 'granted' | 'busy';

type ClaimRow = RowOf<typeof claimWrite>;

/** Stores the answers of writes by merchant, environment, method, path and idempotency key. */
@Injectable()
export class IdempotencyRecords {
  constructor(
    private readonly db: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'idempotency'>,
  ) {}

  /**
   * Claims the write for this transaction without waiting. One statement takes the lock and reads the record, so its
   * snapshot may be older than the lock and miss a record committed in between. The primary key then refuses a second one.
   */
  async claim(tx: Tx, write: WriteRequest): Promise<Claim> {
    const claim = await row(tx, claimWrite(keyOf(write), lockOf(write)));
    if (isAnswer(claim)) return claim;
    return claim.isClaimed ? 'granted' : 'busy';
  }

  /**
   * Claims the write, makes its effect and keeps its answer in one statement. Returns the JSON of the answer, why the claim
   * was not granted, or `unwritten` if the effect wrote nothing. The snapshot may be older than the lock, as in `claim`.
   */
  async writeAtOnce(
    write: WriteRequest,
    parts: PlannedStatement['parts'],
    answer: { readonly json: SqlText; readonly status: number },
  ): Promise<{ readonly json: string } | KeptAnswer | 'busy' | 'unwritten'> {
    const { fingerprint, requestId } = write;
    const kept = { ...answer, fingerprint, requestId, encrypted: false };
    const { json, ...claim } = await this.db.write(writeAtOnce(keyOf(write), lockOf(write), parts, kept));
    if (json !== null) return { json };
    if (isAnswer(claim)) return claim;
    return claim.isClaimed ? 'unwritten' : 'busy';
  }

  /** Finds the kept answer of the write, outside any transaction. */
  async find(write: WriteRequest): Promise<KeptAnswer | null> {
    const [answer] = await this.db.rows(findAnswer(keyOf(write)));
    return answer ?? null;
  }

  async keep(tx: Tx, write: WriteRequest, answer: Pick<KeptAnswer, 'status' | 'body' | 'encrypted'>): Promise<void> {
    const { fingerprint, requestId } = write;
    await rows(tx, insertAnswer({ ...keyOf(write), fingerprint, requestId, ...answer }));
  }

  /** Deletes answers past their retention, in batches. Returns how many. */
  @RecurringJob({ role: 'worker', every: 600_000, leader: 'scheduler' })
  async prune(): Promise<number> {
    let total = 0;
    for (let deleted = PRUNE_BATCH; deleted === PRUNE_BATCH; total += deleted) {
      const pruned = await this.db.rows(deleteOldAnswers(this.config.idempotency.retentionHours, PRUNE_BATCH));
      deleted = pruned.length;
    }
    return total;
  }
}

/** The advisory lock of the write: 64 bits of a hash. Two writes with the same lock only wait for each other. */
function lockOf(write: WriteRequest): bigint {
  return createHash('sha256')
    .update(`idempotency\0${keyText(keyOf(write))}`)
    .digest()
    .readBigInt64BE();
}

function isAnswer(claim: ClaimRow): claim is ClaimRow & KeptAnswer {
  return claim.fingerprint !== null;
}

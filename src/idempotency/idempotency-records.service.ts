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

/** The result of claiming a write: permission to run it, another request that is running it, or its kept answer. */
export type Claim =
  { readonly kind: 'granted' } | { readonly kind: 'busy' } | { readonly kind: 'kept'; readonly answer: KeptAnswer };

/** The result of a write of one statement: the JSON of its answer, or why there is none. */
type WrittenAtOnce =
  | Exclude<Claim, { readonly kind: 'granted' }>
  | { readonly kind: 'written'; readonly json: string }
  | { readonly kind: 'unwritten' };

type ClaimRow = RowOf<typeof claimWrite>;

/** Stores the answers of writes by merchant, environment, method, path and idempotency key. */
@Injectable()
export class IdempotencyRecords {
  constructor(
    private readonly db: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'idempotency'>,
  ) {}

  /**
   * Claims the write for this transaction without waiting. Another request may commit its answer between the statement's
   * snapshot and its lock. This claim misses that answer, and the primary key refuses a second one.
   */
  async claim(tx: Tx, write: WriteRequest): Promise<Claim> {
    return claimOf(await row(tx, claimWrite(keyOf(write), lockOf(write))));
  }

  /**
   * Claims the write, makes its effect and keeps its answer in one statement. `unwritten` if the effect wrote nothing. It may
   * miss an answer, as `claim` may.
   */
  async writeAtOnce(
    write: WriteRequest,
    { parts, waits }: Pick<PlannedStatement, 'parts' | 'waits'>,
    answer: { readonly json: SqlText; readonly status: number },
  ): Promise<WrittenAtOnce> {
    const { fingerprint, requestId } = write;
    const kept = { ...answer, fingerprint, requestId, encrypted: false };
    const { json, ...claim } = await this.db.write(writeAtOnce(keyOf(write), lockOf(write), parts, kept), { waits });
    if (json !== null) return { kind: 'written', json };
    const result = claimOf(claim);
    return result.kind === 'granted' ? { kind: 'unwritten' } : result;
  }

  /** Returns what `claim` would return. The claim ends with the statement. */
  async stateOf(write: WriteRequest): Promise<Claim> {
    return claimOf(await row(this.db.em(), claimWrite(keyOf(write), lockOf(write))));
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
    const { retentionHours } = this.config.idempotency;
    for (let total = 0; ;) {
      const deleted = await this.db.rows(deleteOldAnswers(retentionHours, PRUNE_BATCH));
      total += deleted.length;
      if (deleted.length < PRUNE_BATCH) return total;
    }
  }
}

/** The advisory lock of the write: 64 bits of a hash. Two writes with the same lock only wait for each other. */
function lockOf(write: WriteRequest): bigint {
  return createHash('sha256')
    .update(`idempotency\0${keyText(keyOf(write))}`)
    .digest()
    .readBigInt64BE();
}

function claimOf(claimed: ClaimRow): Claim {
  if (isAnswer(claimed)) return { kind: 'kept', answer: claimed };
  return { kind: claimed.isClaimed ? 'granted' : 'busy' };
}

const isAnswer = (claimed: ClaimRow): claimed is ClaimRow & KeptAnswer => claimed.fingerprint !== null;

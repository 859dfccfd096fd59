import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../platform/config.js';
import { Database, type Tx, sql, sqlOne } from '../platform/database/database.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { keyText, partsOf } from './answer-key.js';
import { keyOf, type WriteRequest } from './write-request.js';

const PRUNE_BATCH = 1_000;

/**
 * The answers that are never pruned: without them a late repeat of an accepted withdrawal would pay again. The route of a
 * feature is named here because the rows have no column in which a write could ask for this itself.
 */
const KEPT_WITHOUT_LIMIT = `path = '/v1/withdrawals' and status = 202`;

/** A kept answer. */
export interface KeptAnswer {
  readonly fingerprint: string;
  readonly status: number;
  readonly body: Buffer;
  readonly encrypted: boolean;
  readonly requestId: string;
}

/** The result of claiming a write: its kept answer, permission to run it, or another request is running it. */
export type Claim = KeptAnswer | 'granted' | 'busy';

interface AnswerRow {
  readonly fingerprint: string;
  readonly status: number;
  readonly body: Buffer;
  readonly encrypted: boolean;
  readonly request_id: string;
}

type ClaimRow = { readonly claimed: boolean } & { readonly [Column in keyof AnswerRow]: AnswerRow[Column] | null };

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
    const row = await sqlOne<ClaimRow>(
      tx,
      `select pg_try_advisory_xact_lock($6::bigint) as claimed, r.fingerprint, r.status, r.body, r.encrypted, r.request_id
         from (values (1)) as one (row)
         left join idempotency_record r
           on r.merchant_id = $1 and r.environment = $2 and r.method = $3 and r.path = $4 and r.idempotency_key = $5`,
      [...partsOf(keyOf(write)), lockOf(write)],
    );
    if (isAnswer(row)) return keptAnswer(row);
    return row.claimed ? 'granted' : 'busy';
  }

  /** Finds the kept answer of the write, outside any transaction. */
  async find(write: WriteRequest): Promise<KeptAnswer | null> {
    const [row] = await this.db.query<AnswerRow>(
      `select fingerprint, status, body, encrypted, request_id from idempotency_record
        where merchant_id = $1 and environment = $2 and method = $3 and path = $4 and idempotency_key = $5`,
      partsOf(keyOf(write)),
    );
    return row === undefined ? null : keptAnswer(row);
  }

  async keep(tx: Tx, write: WriteRequest, answer: Pick<KeptAnswer, 'status' | 'body' | 'encrypted'>): Promise<void> {
    await sql(
      tx,
      `insert into idempotency_record
         (merchant_id, environment, method, path, idempotency_key, fingerprint, request_id, status, body, encrypted)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [...partsOf(keyOf(write)), write.fingerprint, write.requestId, answer.status, answer.body, answer.encrypted],
    );
  }

  /** Deletes answers past their retention, in batches. Returns how many. */
  @RecurringJob({ role: 'worker', every: 600_000, leader: 'scheduler' })
  async prune(): Promise<number> {
    let total = 0;
    for (let deleted = PRUNE_BATCH; deleted === PRUNE_BATCH; total += deleted) {
      const rows = await this.db.query(
        `delete from idempotency_record
          where ctid in (
            select ctid from idempotency_record
             where created_at < now() - $1 * interval '1 hour' and not (${KEPT_WITHOUT_LIMIT})
             order by created_at
             limit $2
               for update skip locked)
          returning 1`,
        [this.config.idempotency.retentionHours, PRUNE_BATCH],
      );
      deleted = rows.length;
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

function isAnswer(row: ClaimRow): row is ClaimRow & AnswerRow {
  return row.fingerprint !== null;
}

function keptAnswer(row: AnswerRow): KeptAnswer {
  const { fingerprint, status, body, encrypted, request_id: requestId } = row;
  return { fingerprint, status, body, encrypted, requestId };
}

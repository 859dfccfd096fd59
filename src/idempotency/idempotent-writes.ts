import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DomainError } from '../domain/errors.js';
import { StoredAnswer, type WriteStatus } from '../http/stored-answer.js';
import { Database, type Tx } from '../platform/database/database.js';
import { failpoint } from '../platform/failpoints.js';
import { SecretBox } from '../platform/secret-box.js';
import { placeOfAnswer } from './answer-key.js';
import { IdempotencyRecords, type KeptAnswer } from './idempotency-records.service.js';
import { keyOf, type WriteRequest } from './write-request.js';

/** The longest wait for another request with the same key before the answer is `idempotency_key_in_use`. */
const WAIT_MAX_MS = 2_000;
/** The pauses between attempts double from the minimum to the maximum. */
const WAIT_STEP_MIN_MS = 10;
const WAIT_STEP_MAX_MS = 100;
const ANSWER_MAX_BYTES = 262_144;

interface PlanBase {
  readonly status: WriteStatus;
  /** The answer contains a secret, so it is kept encrypted. */
  readonly secret?: boolean;
}

/** A write that needs only the database. */
export interface PlainPlan extends PlanBase {
  readonly prepare?: undefined;
  /** The use case, inside the transaction. Resolves to the answer. It may run again after a deadlock. */
  readonly effect: (tx: Tx) => Promise<object>;
}

/** A write that needs the network first, for example to resolve a name. */
export interface PreparedPlan<Prepared> extends PlanBase {
  /** Runs outside any transaction, and not for a replay. */
  readonly prepare: () => Promise<Prepared>;
  readonly effect: (tx: Tx, prepared: Prepared) => Promise<object>;
}

/** The plan of a write. */
export type WritePlan<Prepared> = PlainPlan | PreparedPlan<Prepared>;

type Outcome = { readonly answer: StoredAnswer } | { readonly kept: KeptAnswer } | 'busy';

/**
 * Runs each POST once per idempotency key. The answer is kept in the transaction of the effect, so neither exists without
 * the other. Only successes are kept: a failure has no effect and may be retried with the same key.
 */
@Injectable()
export class IdempotentWrites {
  constructor(
    private readonly db: Database,
    private readonly records: IdempotencyRecords,
    private readonly box: SecretBox,
  ) {}

  /**
   * Returns the answer of the write: the kept one, or a new one after the effect of the plan was committed.
   * @throws DomainError `idempotency_key_reused` (kept for another body), `idempotency_key_in_use` (still running after
   * 2 s), and whatever the plan throws.
   */
  async run<Prepared>(write: WriteRequest, plan: WritePlan<Prepared>): Promise<StoredAnswer> {
    if (plan.prepare === undefined) return this.retryWhileBusy(write, plan);
    const kept = await this.records.find(write);
    if (kept !== null) return this.replay(write, kept);
    const prepared = await plan.prepare();
    return this.retryWhileBusy(write, { ...plan, prepare: undefined, effect: (tx) => plan.effect(tx, prepared) });
  }

  /** Retries until this request or another one has done the write. Holds no connection between two attempts. */
  private async retryWhileBusy(write: WriteRequest, plan: PlainPlan): Promise<StoredAnswer> {
    const waitUntil = performance.now() + WAIT_MAX_MS;
    for (let step = WAIT_STEP_MIN_MS; ; step = Math.min(step * 2, WAIT_STEP_MAX_MS)) {
      const outcome = await this.attempt(write, plan);
      if (outcome !== 'busy') return 'kept' in outcome ? this.replay(write, outcome.kept) : outcome.answer;
      if (performance.now() + step > waitUntil) break;
      await sleep(step);
    }
    throw new DomainError('idempotency_key_in_use', 'A request with this idempotency key is still running.');
  }

  /** Runs one transaction: returns the kept answer, the new answer of the effect, or `busy`. */
  private async attempt(write: WriteRequest, plan: PlainPlan): Promise<Outcome> {
    let ran = false;
    try {
      const outcome = await this.db.transaction(async (tx): Promise<Outcome> => {
        const claim = await this.records.claim(tx, write);
        if (claim === 'busy') return claim;
        if (claim !== 'granted') return { kept: claim };
        ran = true;
        failpoint('idem.claimed');
        return { answer: await this.executeAndKeep(tx, write, plan) };
      });
      failpoint('idem.after_commit');
      return outcome;
    } catch (error) {
      // Another request may have committed between the claim's snapshot and its lock, or our own commit may have succeeded
      // although the connection broke. In either case the kept answer is the right one.
      const kept = ran ? await this.records.find(write).catch(() => null) : null;
      if (kept === null) throw error;
      return { kept };
    }
  }

  /** Runs the effect of the plan and keeps its answer. */
  private async executeAndKeep(tx: Tx, write: WriteRequest, plan: PlainPlan): Promise<StoredAnswer> {
    const json = JSON.stringify(await plan.effect(tx));
    const bytes = Buffer.from(json);
    if (bytes.length > ANSWER_MAX_BYTES) throw new Error(`The answer of ${write.path} is too large to keep.`);
    const encrypted = plan.secret === true;
    const body = encrypted ? this.box.seal(placeOfAnswer(keyOf(write)), bytes) : bytes;
    await this.records.keep(tx, write, { status: plan.status, body, encrypted });
    failpoint('idem.before_commit');
    return new StoredAnswer(plan.status, json);
  }

  private replay(write: WriteRequest, kept: KeptAnswer): StoredAnswer {
    if (kept.fingerprint !== write.fingerprint) {
      throw new DomainError('idempotency_key_reused', 'This idempotency key was used with another request body.');
    }
    const bytes = kept.encrypted ? this.box.open(placeOfAnswer(keyOf(write)), kept.body) : kept.body;
    return new StoredAnswer(kept.status, bytes.toString(), {
      'Idempotent-Replayed': 'true',
      'Original-Request-Id': kept.requestId,
    });
  }
}

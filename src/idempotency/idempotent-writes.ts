import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DomainError } from '../domain/errors.js';
import { StoredAnswer, type WriteStatus } from '../http/stored-answer.js';
import { Database, type Tx } from '../platform/database/database.js';
import { failpoint } from '../platform/failpoints.js';
import { SecretBox, type SecretPlace } from '../platform/secret-box.js';
import { IdempotencyRecords, type KeptAnswer, scopeOf } from './idempotency-records.service.js';
import type { WriteRequest } from './write-request.js';

/** How long a request waits for another one with its key before it answers `idempotency_key_in_use`. */
const WAIT_MAX_MS = 2_000;
/** The pauses between tries double from the first to the second. */
const WAIT_STEP_MIN_MS = 10;
const WAIT_STEP_MAX_MS = 100;
const ANSWER_MAX_BYTES = 262_144;

interface PlanBase {
  readonly status: WriteStatus;
  /** The answer holds a secret, so it is kept encrypted. */
  readonly secret?: boolean;
}

/** A write that needs nothing but the database. */
export interface PlainPlan extends PlanBase {
  readonly prepare?: undefined;
  /** The use case, inside the transaction. What it resolves to is the answer. It may run again after a deadlock. */
  readonly effect: (tx: Tx) => Promise<object>;
}

/** A write that needs something from the network first, such as a name look-up. */
export interface PreparedPlan<Prepared> extends PlanBase {
  /** Runs outside any transaction, and not for a replay. */
  readonly prepare: () => Promise<Prepared>;
  readonly effect: (tx: Tx, prepared: Prepared) => Promise<object>;
}

/** What a write does. */
export type WritePlan<Prepared> = PlainPlan | PreparedPlan<Prepared>;

type Outcome = { readonly answer: StoredAnswer } | { readonly kept: KeptAnswer } | 'busy';

/**
 * Runs each POST once per idempotency key. The answer is kept in the transaction of the effect, so neither exists without
 * the other; only successes are kept, since a failure has no effect and may be tried again with the same key.
 */
@Injectable()
export class IdempotentWrites {
  constructor(
    private readonly db: Database,
    private readonly records: IdempotencyRecords,
    private readonly box: SecretBox,
  ) {}

  /**
   * The answer of the write: the kept one, or a new one after the plan's effect was committed.
   * @throws DomainError `idempotency_key_reused` (kept for another body), `idempotency_key_in_use` (still running after
   * 2 s), and whatever the plan throws.
   */
  async run<Prepared>(write: WriteRequest, plan: WritePlan<Prepared>): Promise<StoredAnswer> {
    if (plan.prepare === undefined) return this.once(write, plan);
    const kept = await this.records.find(write);
    if (kept !== null) return this.replay(write, kept);
    const prepared = await plan.prepare();
    return this.once(write, { ...plan, prepare: undefined, effect: (tx) => plan.effect(tx, prepared) });
  }

  /** Tries until the write is done, by this request or by another one, holding no connection between two tries. */
  private async once(write: WriteRequest, plan: PlainPlan): Promise<StoredAnswer> {
    const waitUntil = performance.now() + WAIT_MAX_MS;
    for (let step = WAIT_STEP_MIN_MS; ; step = Math.min(step * 2, WAIT_STEP_MAX_MS)) {
      const outcome = await this.attempt(write, plan);
      if (outcome !== 'busy') return 'kept' in outcome ? this.replay(write, outcome.kept) : outcome.answer;
      if (performance.now() + step > waitUntil) break;
      await sleep(step);
    }
    throw new DomainError('idempotency_key_in_use', 'A request with this idempotency key is still running.');
  }

  /** One transaction: the kept answer, the effect with its new answer, or nothing because another request is at it. */
  private async attempt(write: WriteRequest, plan: PlainPlan): Promise<Outcome> {
    let ran = false;
    try {
      const outcome = await this.db.transaction(async (tx): Promise<Outcome> => {
        const claim = await this.records.claim(tx, write);
        if (claim === 'busy') return claim;
        if (claim !== 'granted') return { kept: claim };
        ran = true;
        failpoint('idem.claimed');
        return { answer: await this.effect(tx, write, plan) };
      });
      failpoint('idem.after_commit');
      return outcome;
    } catch (error) {
      // Another request may have committed between the claim's snapshot and its lock, or our own commit may have arrived
      // although the connection broke: whatever failed, a kept answer is the truth.
      const kept = ran ? await this.records.find(write).catch(() => null) : null;
      if (kept === null) throw error;
      return { kept };
    }
  }

  private async effect(tx: Tx, write: WriteRequest, plan: PlainPlan): Promise<StoredAnswer> {
    const json = JSON.stringify(await plan.effect(tx));
    const bytes = Buffer.from(json);
    if (bytes.length > ANSWER_MAX_BYTES) throw new Error(`The answer of ${write.path} is too large to keep.`);
    const encrypted = plan.secret === true;
    const body = encrypted ? this.box.seal(placeOf(write), bytes) : bytes;
    await this.records.keep(tx, write, { status: plan.status, body, encrypted });
    failpoint('idem.before_commit');
    return new StoredAnswer(plan.status, json);
  }

  private replay(write: WriteRequest, kept: KeptAnswer): StoredAnswer {
    if (kept.fingerprint !== write.fingerprint) {
      throw new DomainError('idempotency_key_reused', 'This idempotency key was used with another request body.');
    }
    const bytes = kept.encrypted ? this.box.open(placeOf(write), kept.body) : kept.body;
    return new StoredAnswer(kept.status, bytes.toString(), {
      'Idempotent-Replayed': 'true',
      'Original-Request-Id': kept.requestId,
    });
  }
}

function placeOf(write: WriteRequest): SecretPlace {
  return { purpose: 'idempotent-answer', rowId: scopeOf(write) };
}

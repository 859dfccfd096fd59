import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DomainError } from '../domain/errors.js';
import { StoredAnswer } from '../http/stored-answer.js';
import { Database, type Tx } from '../platform/database/database.js';
import { failpoint } from '../platform/failpoints.js';
import type { PlannedStatement, PlannedWrite } from '../platform/sql/planned-write.js';
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
/** The result of a statement that had no effect. */
const UNWRITTEN = { kind: 'unwritten' } as const;
/** The statuses of answers that are kept. */
export const WRITE_STATUSES: readonly number[] = [200, 201, 202];

/** What a write does, and how its answer is kept. */
export interface WritePlan {
  /** The answer contains a secret, so it is kept encrypted. */
  readonly keepsSecret: boolean;
  /** Runs before the transaction, and not for a replay: a check that needs the network. */
  readonly prepare: (() => Promise<void>) | undefined;
  /** The use case, inside the transaction. It may run again after a deadlock. */
  readonly effect: (tx: Tx) => Promise<{ readonly status: number; readonly body: object }>;
}

/** A write that is planned, and the status of its answer. */
interface PlannedAnswer {
  readonly status: number;
  readonly planned: PlannedWrite;
}

/** The result of one attempt: a new answer, the kept one, or another request is running the write. */
type Outcome =
  | { readonly kind: 'new'; readonly answer: StoredAnswer }
  | { readonly kind: 'kept'; readonly answer: KeptAnswer }
  | { readonly kind: 'busy' };

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
  async run(write: WriteRequest, plan: WritePlan): Promise<StoredAnswer> {
    if (plan.prepare !== undefined) {
      const kept = await this.records.find(write);
      if (kept !== null) return this.replay(write, kept);
      try {
        await plan.prepare();
      } catch (error) {
        return this.retryWhileBusy(write, () => this.outcomeWithoutPlan(write, error));
      }
    }
    return this.retryWhileBusy(write, () => this.attempt(write, plan));
  }

  /**
   * Does the same for a write that is planned as one statement. The plan is made before the key is claimed, and again after a
   * wait for another request with this key, so it may fail because of what that one has done: its error counts only if no
   * other one has claimed the key or kept an answer. A request that is only planned claims nothing yet.
   */
  async runAtOnce(write: WriteRequest, plan: () => Promise<PlannedAnswer>): Promise<StoredAnswer> {
    return this.retryWhileBusy(write, () => this.attemptAtOnce(write, plan));
  }

  /** Retries until this request or another one has done the write. Holds no connection between two attempts. */
  private async retryWhileBusy(write: WriteRequest, attempt: () => Promise<Outcome>): Promise<StoredAnswer> {
    const waitUntil = performance.now() + WAIT_MAX_MS;
    for (let step = WAIT_STEP_MIN_MS; ; step = Math.min(step * 2, WAIT_STEP_MAX_MS)) {
      const outcome = await attempt();
      if (outcome.kind === 'new') return outcome.answer;
      if (outcome.kind === 'kept') return this.replay(write, outcome.answer);
      if (performance.now() + step > waitUntil) break;
      await sleep(step);
    }
    throw new DomainError('idempotency_key_in_use', 'A request with this idempotency key is still running.');
  }

  /** Runs one transaction: returns the kept answer, the new answer of the effect, or `busy`. */
  private async attempt(write: WriteRequest, plan: WritePlan): Promise<Outcome> {
    let ran = false;
    try {
      const outcome = await this.db.transaction(async (tx): Promise<Outcome> => {
        const claim = await this.records.claim(tx, write);
        if (claim.kind !== 'granted') return claim;
        ran = true;
        failpoint('idem.claimed');
        return { kind: 'new', answer: await this.executeAndKeep(tx, write, plan) };
      });
      failpoint('idem.after_commit');
      return outcome;
    } catch (error) {
      if (!ran) throw error;
      return { kind: 'kept', answer: await this.keptAnswerOrThrow(write, error) };
    }
  }

  private async attemptAtOnce(write: WriteRequest, plan: () => Promise<PlannedAnswer>): Promise<Outcome> {
    let answer: PlannedAnswer;
    try {
      answer = await plan();
    } catch (error) {
      return this.outcomeWithoutPlan(write, error);
    }
    return this.runPlanned(write, answer);
  }

  /** Runs one statement, or a transaction instead: returns the kept answer, the new answer, or `busy`. */
  private async runPlanned(write: WriteRequest, { status, planned }: PlannedAnswer): Promise<Outcome> {
    const { statement, inTransaction } = planned;
    const outcome = statement === null ? UNWRITTEN : await this.runStatement(write, status, statement);
    if (outcome.kind === 'new') planned.committed?.();
    if (outcome.kind !== 'unwritten') return outcome;
    if (inTransaction === undefined) throw new Error(`The effect of ${write.path} wrote nothing.`);
    const effect = async (tx: Tx) => ({ status, body: await inTransaction(tx) });
    return this.attempt(write, { keepsSecret: false, prepare: undefined, effect });
  }

  /**
   * Returns the outcome of a request that failed before it could claim its key: the kept answer of another one, or that one
   * is running.
   * @throws the error if neither is so
   */
  private async outcomeWithoutPlan(write: WriteRequest, error: unknown): Promise<Outcome> {
    const state = await this.records.stateOf(write).catch((lookupError: unknown) => {
      throw errorWithoutLookup(error, lookupError);
    });
    if (state.kind !== 'granted') return state;
    return { kind: 'kept', answer: await this.keptAnswerOrThrow(write, error) };
  }

  private async runStatement(
    write: WriteRequest,
    status: number,
    { presented, values, ...statement }: PlannedStatement,
  ): Promise<Outcome | typeof UNWRITTEN> {
    const json = jsonOf(write, presented);
    failpoint('idem.before_statement');
    try {
      const outcome = await this.records.writeAtOnce(write, statement, { json: values.substituted(json), status });
      failpoint('idem.after_commit');
      return outcome.kind === 'written' ? { kind: 'new', answer: new StoredAnswer(status, outcome.json) } : outcome;
    } catch (error) {
      return { kind: 'kept', answer: await this.keptAnswerOrThrow(write, error) };
    }
  }

  /**
   * Returns the kept answer after a failure. An earlier request may have kept it, another one may have committed between the
   * claim's snapshot and its lock, or our own commit may have succeeded although the connection broke.
   * @throws the error when there is no kept answer
   */
  private async keptAnswerOrThrow(write: WriteRequest, error: unknown): Promise<KeptAnswer> {
    const kept = await this.records.find(write).catch((lookupError: unknown) => {
      throw errorWithoutLookup(error, lookupError);
    });
    if (kept === null) throw error;
    return kept;
  }

  /** Runs the effect of the plan and keeps its answer, which is the last thing that the transaction writes. */
  private async executeAndKeep(tx: Tx, write: WriteRequest, plan: WritePlan): Promise<StoredAnswer> {
    const { status, body } = await plan.effect(tx);
    await tx.flush();
    const json = jsonOf(write, body);
    const bytes = Buffer.from(json);
    const kept = plan.keepsSecret ? this.box.seal(placeOfAnswer(keyOf(write)), bytes) : bytes;
    await this.records.keep(tx, write, { status, body: kept, encrypted: plan.keepsSecret });
    failpoint('idem.before_commit');
    return new StoredAnswer(status, json);
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

/**
 * Returns the error to answer with when nobody knows whether there is a kept answer. A refusal would say that the write had
 * no effect, and the client might send it again with another key.
 */
const errorWithoutLookup = (error: unknown, lookupError: unknown): unknown =>
  error instanceof DomainError ? lookupError : error;

function jsonOf(write: WriteRequest, body: object): string {
  const json = JSON.stringify(body);
  if (Buffer.byteLength(json) > ANSWER_MAX_BYTES) throw new Error(`The answer of ${write.path} is too large to keep.`);
  return json;
}

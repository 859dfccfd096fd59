import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { DomainError, invalidParam, notFound } from '../../domain/errors.js';
import { newId } from '../../domain/ids.js';
import type { Environment } from '../../domain/network.js';
import { type ConsoleActor, recordAction } from '../../platform/audit-trail.js';
import { assign } from '../../platform/database/assign.js';
import { afterCommit, Database, row, rows, type Tx } from '../../platform/database/database.js';
import { JobWaker } from '../../platform/queue/job-waker.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { DeliveryResend } from '../deliveries/delivery-resend.service.js';
import { findOpenEndpoint } from '../endpoints/open-endpoint.js';
import { transactionTime } from '../endpoints/webhook-endpoints.sql.js';
import { filterKeyOf, type ReplayFilter, stepsOf } from './replay-filter.js';
import { ReplayJob, type ReplayStatus } from './replay-job.entity.js';
import type { ReplayVerb } from './replay-verb.js';
import { findJob, jobPage, placeOfJob, targetsOf } from './replay-reader.sql.js';
import {
  BEGINNING,
  findOpenJob,
  insertJob,
  insertMissingTarget,
  insertSentTarget,
  insertTargets,
} from './replay-order.sql.js';

/** A job with its counts. */
export type ShownJob = RowOf<typeof findJob>;
/** An endpoint of a job with its counts. */
export type ShownTarget = RowOf<typeof targetsOf>;

/** A member of staff, and the environment in which they act on replay jobs. */
export interface ReplayRequest {
  readonly environment: Environment;
  readonly author: ConsoleActor;
}

/** An order of staff to send deliveries again. */
export interface ReplayOrder extends ReplayRequest {
  readonly verb: ReplayVerb;
  readonly filter: ReplayFilter;
  readonly reason: string | null;
}

const AUDITED_FILTER_MAX = 2_000;

/** The statuses that a change of status may begin from. */
const MOVES: Readonly<Record<'running' | 'paused' | 'stopped', readonly ReplayStatus[]>> = {
  running: ['paused'],
  paused: ['running'],
  stopped: ['running', 'paused'],
};

/** Replay jobs: ordered, listed, paused, resumed and stopped by staff. `ReplayFeeder` carries them out. */
@Injectable()
export class ReplayJobs {
  constructor(
    private readonly database: Database,
    private readonly resend: DeliveryResend,
    private readonly queue: JobWaker,
  ) {}

  /**
   * Begins a job, or returns the open one of the same verb and filter: a second click begins no second job. Audited.
   * @throws DomainError `invalid_request`, and for missing events `not_found` and `invalid_state_transition` of the endpoint.
   */
  async order(tx: Tx, order: ReplayOrder): Promise<{ readonly id: string; readonly isNew: boolean }> {
    const { environment, verb, filter, author, reason } = order;
    const begun = await begin(tx, order);
    const { id } = begun;
    if (!begun.isNew) return begun;
    if (verb === 'send_missing') {
      const { endpoint_id: endpointId } = filter;
      if (endpointId === undefined) throw invalidParam('endpoint_id', 'Name the endpoint that lacks events.');
      await findOpenEndpoint(tx, { environment }, endpointId);
      await rows(tx, insertMissingTarget(id, endpointId, filter.created_gte ?? BEGINNING));
    } else {
      await rows(tx, insertTargets(id, environment, filter, stepsOf(verb, filter)));
    }
    const details = { verb, filter: JSON.stringify(filter).slice(0, AUDITED_FILTER_MAX) };
    await recordAction(tx, { ...author, action: 'replay.begin', subject: id, reason, details });
    this.wakeFeeder(tx);
    return begun;
  }

  /**
   * Sends one delivery at once, as a job of its own that has nothing left to feed. Returns the delivery that will be sent. Audited.
   * @throws as `DeliveryResend.sendAgain`
   */
  async resendOne(
    tx: Tx,
    order: Omit<ReplayOrder, 'verb' | 'filter'>,
    deliveryId: string,
  ): Promise<{ jobId: string; deliveryId: string }> {
    const { environment, author, reason } = order;
    const job = await begin(tx, { ...order, verb: 'resend', filter: { delivery_ids: [deliveryId] } });
    const sent = job.isNew ? await this.resend.sendAgain(tx, { environment }, deliveryId, job.id) : deliveryId;
    if (job.isNew) await rows(tx, insertSentTarget(job.id, sent));
    const details = { sent_as: sent, replay_job: job.id };
    await recordAction(tx, { ...author, action: 'delivery.resend', subject: deliveryId, reason, details });
    return { jobId: job.id, deliveryId: sent };
  }

  /** @throws DomainError `not_found` */
  async get(
    environment: Environment,
    id: string,
  ): Promise<{ readonly job: ShownJob; readonly targets: ShownTarget[] }> {
    const em = this.database.em();
    const [job] = await rows(em, findJob(environment, id));
    if (job === undefined) throw notFound('replay job');
    return { job, targets: await rows(em, targetsOf(id)) };
  }

  /** Returns who requested jobs, by job. */
  async requestersOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const jobs = ids.length === 0 ? [] : await this.database.em().find(ReplayJob, { id: { $in: [...ids] } });
    return new Map(jobs.map((job) => [job.id, job.requestedBy]));
  }

  /** Returns up to `limit + 1` jobs, newest first. @throws DomainError `invalid_request` for an unknown cursor. */
  async page(environment: Environment, limit: number, after: string | undefined): Promise<ShownJob[]> {
    const em = this.database.em();
    if (after === undefined) return rows(em, jobPage(environment, limit + 1, null));
    const [cursor] = await rows(em, placeOfJob(environment, after));
    if (cursor === undefined)
      throw invalidParam('starting_after', 'starting_after is not a replay job of this environment.');
    return rows(em, jobPage(environment, limit + 1, cursor));
  }

  /**
   * Pauses, resumes or stops a job. Nothing is sent after the commit of a pause or a stop; what was sent keeps its attempts.
   * Audited. @throws DomainError `not_found`, and `invalid_state_transition` with the state that another member has caused.
   */
  async move(tx: Tx, { environment, author }: ReplayRequest, id: string, to: keyof typeof MOVES): Promise<void> {
    const job = await tx.findOne(ReplayJob, { id, environment }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (job === null) throw notFound('replay job');
    if (!MOVES[to].includes(job.status)) {
      throw new DomainError('invalid_state_transition', `The replay job is ${job.status} already.`);
    }
    const now = new Date((await row(tx, transactionTime)).now);
    assign(job, { status: to, updatedAt: now, finishedAt: to === 'stopped' ? now : null });
    await tx.flush();
    await recordAction(tx, { ...author, action: `replay.${to}`, subject: id, reason: null });
    if (to === 'running') this.wakeFeeder(tx);
  }

  private wakeFeeder(tx: Tx): void {
    afterCommit(tx, () => this.queue.wake('webhooks.replay', {}));
  }
}

async function begin(tx: Tx, order: ReplayOrder): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const { filter, author, environment, verb, reason } = order;
  const job = { environment, verb, reason, requestedBy: author.actor };
  const filterKey = filterKeyOf(verb, filter);
  const id = newId('rpl_');
  const [inserted] = await rows(tx, insertJob({ id, ...job, criteria: filter, filterKey }));
  if (inserted !== undefined) return { id, isNew: true };
  return { id: await openJob(tx, environment, filterKey), isNew: false };
}

async function openJob(tx: Tx, environment: Environment, filterKey: string): Promise<string> {
  const [open] = await rows(tx, findOpenJob(environment, filterKey));
  if (open !== undefined) return open.id;
  throw new DomainError('invalid_state_transition', 'The same replay has just ended; look at its result first.');
}

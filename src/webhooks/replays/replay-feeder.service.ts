import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { newId } from '../../domain/ids.js';
import { afterCommit, Database, rows, type Tx } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { JobWaker } from '../../platform/queue/job-waker.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { takeTurn } from '../deliveries/delivery-claims.service.js';
import { WebhookEndpoint } from '../endpoints/webhook-endpoint.entity.js';
import { beginNextSeries, makeWaitingDue } from '../recoveries/endpoint-recovery.sql.js';
import { owe } from '../recoveries/missing-deliveries.service.js';
import { nextEvents } from '../recoveries/missing-deliveries.sql.js';
import { type ReplayStep, stepsOf } from './replay-filter.js';
import {
  BEGINNING,
  endJobs,
  endTarget,
  lockChosen,
  lockTarget,
  nextOfStep,
  OPEN_MAX,
  recordProgress,
  targetsWithRoom,
} from './replay-targets.sql.js';

/** Deliveries or events that one batch looks at; it sends as many of them as there is room for. */
const WALKED_MAX = 500;
const TARGETS_MAX = 100;
/** How long a run goes on, and what it waits between two rounds, in milliseconds. */
const RUN_MS = 5_000;
const WHILE_SENDING_MS = 10;
const WHILE_WAITING_MS = 50;
const IDLE_ROUNDS_MAX = 10;

type Target = RowOf<typeof lockTarget>;

/** Carries out the replay jobs of staff: at each endpoint a few deliveries at a time, beside its fresh events. */
@Injectable()
export class ReplayFeeder {
  private readonly logger = new Logger(ReplayFeeder.name);

  constructor(
    private readonly database: Database,
    private readonly queue: JobWaker,
  ) {}

  /** Feeds running jobs while their deliveries are acknowledged. Any number of processes may call it at any time. */
  @RecurringJob({ role: 'worker', every: 500 })
  async feed(): Promise<void> {
    const end = performance.now() + RUN_MS;
    for (let idle = 0; idle < IDLE_ROUNDS_MAX && performance.now() < end;) {
      const { hasTargets, moved } = await this.round();
      if (!hasTargets && !moved) return;
      idle = moved ? 0 : idle + 1;
      await sleep(moved ? WHILE_SENDING_MS : WHILE_WAITING_MS);
    }
  }

  /** Feeds each target that has room once, and ends jobs. A target that fails delays no other. */
  async round(): Promise<{ readonly hasTargets: boolean; readonly moved: boolean }> {
    const targets = await this.database.rows(targetsWithRoom(TARGETS_MAX));
    let moved = false;
    for (const { jobId, endpointId } of targets) {
      try {
        moved = (await this.database.transaction((tx) => this.advance(tx, jobId, endpointId))) || moved;
        failpoint('replay.after_commit');
      } catch (error) {
        this.logger.error(
          { replay_job_id: jobId, endpoint_id: endpointId, err: error },
          'A replay job failed at an endpoint and will be tried again.',
        );
      }
    }
    await this.database.rows(endJobs);
    return { hasTargets: targets.length > 0, moved };
  }

  /** Sends one batch. The batch and the progress of the target commit together. Returns whether it did anything. */
  private async advance(tx: Tx, jobId: string, endpointId: string): Promise<boolean> {
    const [target] = await rows(tx, lockTarget(jobId, endpointId));
    if (target === undefined) return false;
    if (target.isDeleted || !target.enabled) {
      await rows(tx, endTarget(target, target.isDeleted ? 'deleted' : 'disabled'));
      return true;
    }
    const room = OPEN_MAX - target.open;
    if (room <= 0) return false;
    const sent =
      target.verb === 'send_missing' ? await sendMissing(tx, target, room) : await sendStep(tx, target, room);
    failpoint('replay.before_commit');
    if (sent > 0) afterCommit(tx, () => this.queue.wake('webhooks.deliver', {}));
    return true;
  }
}

/** Sends a batch of the first step that still finds deliveries. */
async function sendStep(tx: Tx, target: Target, room: number): Promise<number> {
  const { jobId, criteria, bound } = target;
  const steps = stepsOf(target.verb === 'resend' ? 'resend' : 'recover', criteria);
  const step = steps[target.reachedStep];
  if (step === undefined) {
    await rows(tx, endTarget(target, 'done'));
    return 0;
  }
  // While the endpoint is being enabled, an uncommitted batch locks its deliveries, and the walk would skip them.
  if (step === 'held' || step === 'pending') await takeTurn(tx);
  const found = await rows(tx, nextOfStep(step, target, { criteria, bound, limit: WALKED_MAX }));
  if (found.length === 0) return sendStep(tx, { ...target, ...beginningOf(target, target.reachedStep + 1) }, room);
  const wanted = found.filter((one) => one.isWanted);
  const chosen = wanted.slice(0, room);
  const ids = chosen.map((one) => one.id);
  const sent = await send(tx, step, jobId, ids);
  failpoint('replay.sent');
  await recordWalk(tx, target, { all: found, wanted, chosen, sent, stepsLeft: steps.length - target.reachedStep });
  return sent;
}

/** The place before the first delivery of a step. */
const beginningOf = ({ criteria }: Target, reachedStep: number) => ({
  reachedStep,
  reachedAt: criteria.created_gte ?? BEGINNING,
  reachedId: '',
});

/** Sends those of the deliveries that nothing has sent or finished meanwhile. Returns how many. */
async function send(tx: Tx, step: ReplayStep, jobId: string, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const locked = (await rows(tx, lockChosen(step, ids))).map((one) => one.id);
  if (locked.length === 0) return 0;
  const statement =
    step === 'held' || step === 'pending'
      ? makeWaitingDue(locked, jobId)
      : beginNextSeries(
          locked.map((lastId) => ({ id: newId('dlv_'), lastId })),
          jobId,
        );
  return (await rows(tx, statement)).length;
}

async function sendMissing(tx: Tx, target: Target, room: number): Promise<number> {
  const endpoint = await tx.findOneOrFail(WebhookEndpoint, { id: target.endpointId });
  const found = await rows(tx, nextEvents(endpoint, [target.reachedAt, target.reachedId], WALKED_MAX));
  const bound = new Date(target.bound);
  const known = found.filter((event) => new Date(event.createdAt) <= bound);
  const wanted = known.filter((event) => event.isMissing);
  const chosen = wanted.slice(0, room);
  const sent = await owe(tx, endpoint, chosen, target.jobId);
  failpoint('replay.sent');
  await recordWalk(tx, target, { all: known, wanted, chosen, sent, stepsLeft: 1 });
  return sent;
}

interface Item {
  readonly id: string;
  readonly createdAt: string;
}

/** One batch of a walk: what it found, what of that the job wants, what there was room for, and how many it has sent. */
interface Step {
  readonly all: readonly Item[];
  readonly wanted: readonly Item[];
  readonly chosen: readonly Item[];
  readonly sent: number;
  readonly stepsLeft: number;
}

/** Records how far the batch came: to the last that it chose, or over all that it has found when it chose all wanted ones. */
async function recordWalk(tx: Tx, target: Target, { all, wanted, chosen, sent, stepsLeft }: Step): Promise<void> {
  const isWhole = chosen.length === wanted.length;
  const last = (isWhole ? all.at(-1) : chosen.at(-1)) ?? { createdAt: target.reachedAt, id: target.reachedId };
  const counts = { sent, skipped: chosen.length - sent };
  if (!isWhole || all.length === WALKED_MAX) {
    const place = { reachedStep: target.reachedStep, reachedAt: last.createdAt, reachedId: last.id };
    await rows(tx, recordProgress(target, { ...counts, ...place, status: 'open' }));
    return;
  }
  const next = beginningOf(target, target.reachedStep + 1);
  await rows(tx, recordProgress(target, { ...counts, ...next, status: stepsLeft > 1 ? 'open' : 'done' }));
}

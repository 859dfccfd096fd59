import { as } from '../../platform/sql/as.js';
import { given, unnest } from '../../platform/sql/given.js';
import { literal, sql, type SqlText } from '../../platform/sql/sql.js';
import { out, set, table } from '../../platform/sql/table.js';
import { Delivery } from '../deliveries/delivery.entity.js';
import { WebhookEndpoint } from '../endpoints/webhook-endpoint.entity.js';
import type { ReplayStep } from './replay-filter.js';
import { ReplayJob } from './replay-job.entity.js';
import { ReplayTarget } from './replay-target.entity.js';

const job = table(ReplayJob);
const target = table(ReplayTarget);
const endpoint = table(WebhookEndpoint);
const delivery = table(Delivery);

/**
 * A delivery waits. Written as a select, so that the planner cannot prove the condition of an index on all waiting deliveries
 * and read the whole backlog of an endpoint; the index of the job's deliveries has the status.
 */
const waits = sql`${delivery.status} = (select 'pending')`;

/** Deliveries of the job that wait at the endpoint of the target, up to a limit. */
const openOfTarget = (max: SqlText) => sql`
  (select count(*)::int from (
     select from ${delivery}
      where ${delivery.replayJobId} = ${target.jobId} and ${delivery.endpointId} = ${target.endpointId}
        and ${waits} limit ${max}) waiting)`;

/** The last target of the previous page, and when its job was created: a parameter of the page's statement. */
export interface TargetCursor extends Pick<ReplayTarget, 'jobId' | 'endpointId'> {
  readonly bound: string;
}

/** Reads targets of running jobs where fewer than `openMax` deliveries wait, the oldest job first, after the cursor. */
export function targetsWithRoom(openMax: number, limit: number, cursor: TargetCursor | null) {
  const max = literal(openMax);
  const after =
    cursor === null
      ? sql``
      : sql`and (${job.createdAt}, ${job.id}, ${target.endpointId}) >
              (${cursor.bound}::timestamptz, ${cursor.jobId}, ${cursor.endpointId})`;
  return sql`
    select ${out(target, 'jobId', 'endpointId')}, ${job.createdAt.as('bound')} from ${job}
      join ${target} on ${target.jobId} = ${job.id} and ${target.status} = 'open'
     where ${job.status} = 'running' and ${openOfTarget(max)} < ${max} ${after}
     order by ${job.createdAt}, ${job.id}, ${target.endpointId} limit ${limit}`;
}

/**
 * Locks targets of a running job, but those that another worker has. The job is locked too, so that nothing is sent once a
 * pause or a stop has committed.
 */
export const lockTargets = (jobId: string, endpointIds: readonly string[], openMax: number) => sql`
  select ${out(target, 'jobId', 'endpointId', 'reachedStep', 'reachedAt', 'reachedId')}, ${out(job, 'verb', 'criteria')},
         ${job.createdAt.as('bound')}, ${out(endpoint, 'enabled')}, ${endpoint.deletedAt} is not null ${as.boolean('isDeleted')},
         ${openOfTarget(literal(openMax))} ${as.int('open')}
    from ${target}
    join ${job} on ${job.id} = ${target.jobId}
    join ${endpoint} on ${endpoint.id} = ${target.endpointId}
   where ${target.jobId} = ${jobId} and ${target.endpointId} = any(${endpointIds}) and ${target.status} = 'open'
     and ${job.status} = 'running'
   order by ${target.endpointId}
     for no key update of ${target} skip locked for share of ${job} skip locked`;

/**
 * Locks those of the deliveries that still are what the step sends. Waiting ones whose attempt is recorded are skipped. The
 * status is compared above the lock: beside the ids, the planner might read all deliveries in it.
 */
export const lockChosen = (step: ReplayStep, ids: readonly string[]) => sql`
  select ${delivery.id.as('id')} from (
    select ${out(delivery, 'id', 'status', 'superseded')} from ${delivery} where ${delivery.id} = any(${ids})
     order by ${delivery.createdAt}, ${delivery.id}
       for no key update ${step === 'held' || step === 'pending' ? sql`skip locked` : sql``}) ${delivery}
   where ${delivery.status} = ${step} and not ${delivery.superseded}`;

const progress = given('progress', {
  endpointId: 'text',
  status: 'text',
  reachedStep: 'int',
  reachedAt: 'timestamptz',
  reachedId: 'text',
  sent: 'int',
  skipped: 'int',
});

/** What a batch has changed at an endpoint: the new place and the counts to add. */
export interface Progress extends Pick<ReplayTarget, 'endpointId' | 'reachedStep' | 'status'> {
  readonly reachedAt: string;
  readonly reachedId: string;
  readonly sent: number;
  readonly skipped: number;
}

/** Records the progress of targets of a job. */
export const recordProgress = (jobId: string, made: readonly Progress[]) => sql`
  update ${target}
     set ${set(target, {
       status: progress.status,
       reachedStep: progress.reachedStep,
       reachedAt: progress.reachedAt,
       reachedId: progress.reachedId,
       sent: sql`${target.sent} + ${progress.sent}`,
       skipped: sql`${target.skipped} + ${progress.skipped}`,
     })}
    from ${unnest(progress, made)}
   where ${target.jobId} = ${jobId} and ${target.endpointId} = ${progress.endpointId}`;

/** Finds jobs that are running. */
export const runningJobs = sql`select ${out(job, 'id')} from ${job} where ${job.status} = 'running'`;

/** Ends running jobs that have nothing left to send and nothing that waits. */
export const endJobs = sql`
  update ${job} set ${set(job, { status: 'done', updatedAt: sql`now()`, finishedAt: sql`now()` })}
   where ${job.status} = 'running'
     and not exists (select from ${target} where ${target.jobId} = ${job.id} and ${target.status} = 'open')
     and not exists (select from ${delivery} where ${delivery.replayJobId} = ${job.id} and ${waits})
  returning ${out(job, 'id')}`;

import type { Environment } from '../../domain/network.js';
import { as } from '../../platform/sql/as.js';
import { join, raw, sql, type SqlText } from '../../platform/sql/sql.js';
import { columns, out, set, table, values } from '../../platform/sql/table.js';
import { Delivery } from '../deliveries/delivery.entity.js';
import { WebhookEndpoint } from '../endpoints/webhook-endpoint.entity.js';
import { conditionsOf, having } from '../overview/delivery-walks.sql.js';
import { deliveryFilterOf, type ReplayFilter, type ReplayStep } from './replay-filter.js';
import { ReplayJob } from './replay-job.entity.js';
import { ReplayTarget, type TargetStatus } from './replay-target.entity.js';

const job = table(ReplayJob);
const target = table(ReplayTarget);
const endpoint = table(WebhookEndpoint);
const delivery = table(Delivery);

/** Before every delivery. */
export const BEGINNING = '1970-01-01T00:00:00Z';

/** The condition of the index that keeps two jobs of one filter apart. */
const isOpen = raw(`status in ('running', 'paused')`);

/** Inserts a job, unless one of the same filter is open. */
export const insertJob = (
  order: Pick<ReplayJob, 'id' | 'environment' | 'verb' | 'criteria' | 'filterKey' | 'requestedBy' | 'reason'>,
) => sql`
  insert into ${job} ${values(job, { ...order, status: 'running', createdAt: sql`now()`, updatedAt: sql`now()` })}
  on conflict ${columns(job, 'environment', 'filterKey')} where ${isOpen} do nothing
  returning ${out(job, 'id')}`;

/** Finds the open job of a filter. */
export const findOpenJob = (environment: Environment, filterKey: string) => sql`
  select ${out(job, 'id')} from ${job}
   where ${job.environment} = ${environment} and ${job.filterKey} = ${filterKey}
     and ${job.status} in ('running', 'paused')`;

const open = sql`${endpoint.enabled} and ${endpoint.deletedAt} is null`;

/** Inserts a target for each enabled endpoint that has a delivery which the job may send. */
export function insertTargets(
  id: string,
  environment: Environment,
  filter: ReplayFilter,
  steps: readonly ReplayStep[],
) {
  const some = steps.map((step) => sql`exists (select from ${delivery} where ${walked(step, filter)})`);
  return sql`
    insert into ${target} ${columns(target, 'jobId', 'endpointId', 'status', 'reachedAt')}
    select ${id}, ${endpoint.id}, 'open', ${filter.created_gte ?? BEGINNING}::timestamptz
      from ${endpoint}
     where ${join([...endpointConditions(environment, filter), open], ' and ')} and (${join([sql`false`, ...some], ' or ')})`;
}

/** Inserts the target of a job that sends missing events to one endpoint. */
export const insertMissingTarget = (id: string, endpointId: string, since: string) => sql`
  insert into ${target} ${columns(target, 'jobId', 'endpointId', 'status', 'reachedAt')}
  values (${id}, ${endpointId}, 'open', ${since}::timestamptz)`;

/** Inserts the target of a delivery that was sent at once. */
export const insertSentTarget = (id: string, deliveryId: string) => sql`
  insert into ${target} ${columns(target, 'jobId', 'endpointId', 'status', 'reachedAt', 'sent')}
  select ${id}, ${delivery.endpointId}, 'done', now(), 1 from ${delivery} where ${delivery.id} = ${deliveryId}`;

function endpointConditions(environment: Environment, filter: ReplayFilter): SqlText[] {
  const { merchant_id: merchantId, endpoint_id: endpointId, delivery_ids: ids } = filter;
  const chosen = table(Delivery, 'chosen');
  return [
    sql`${endpoint.environment} = ${environment}`,
    ...(merchantId === undefined ? [] : [sql`${endpoint.merchantId} = ${merchantId}`]),
    ...(endpointId === undefined ? [] : [sql`${endpoint.id} = ${endpointId}`]),
    ...(ids === undefined
      ? []
      : [sql`${endpoint.id} in (select ${chosen.endpointId} from ${chosen} where ${chosen.id} = any(${ids}))`]),
  ];
}

/** The deliveries of the endpoint that a step of a job may send, as its index has them and by the filter. */
function walked(step: ReplayStep, filter: ReplayFilter): SqlText {
  const { delivery_ids: ids, event_id: eventId } = filter;
  const { created_gte: from, created_lt: until, ...rest } = deliveryFilterOf(filter);
  return join(
    [
      sql`${delivery.endpointId} = ${endpoint.id} and ${having(step)} and not ${delivery.superseded}`,
      ...(ids === undefined ? [] : [sql`${delivery.id} = any(${ids})`]),
      ...(eventId === undefined ? [] : [sql`${delivery.eventId} = ${eventId}`]),
      ...(from === undefined ? [] : [sql`${delivery.createdAt} >= ${from}`]),
      ...(until === undefined ? [] : [sql`${delivery.createdAt} < ${until}`]),
      ...conditionsOf(rest),
    ],
    ' and ',
  );
}

/** The most deliveries of a job that wait at one endpoint at a time, so that fresh events are not delayed. */
export const OPEN_MAX = 20;

/** Waiting deliveries of the job at the endpoint of the target, up to `OPEN_MAX`. */
const openOfTarget = sql`
  (select count(*)::int from (
     select from ${delivery}
      where ${delivery.replayJobId} = ${target.jobId} and ${delivery.endpointId} = ${target.endpointId}
        and ${delivery.status} = 'pending' limit ${raw(String(OPEN_MAX))}) waiting)`;

/** Reads targets of running jobs that have room for more, the oldest job first. */
export const targetsWithRoom = (limit: number) => sql`
  select ${out(target, 'jobId', 'endpointId')} from ${job}
    join ${target} on ${target.jobId} = ${job.id} and ${target.status} = 'open'
   where ${job.status} = 'running' and ${openOfTarget} < ${raw(String(OPEN_MAX))}
   order by ${job.createdAt}, ${job.id}, ${target.endpointId} limit ${limit}`;

/**
 * Locks a target of a running job, unless another worker has it. The job is locked too, so that nothing is sent once a
 * pause or a stop has committed.
 */
export const lockTarget = (jobId: string, endpointId: string) => sql`
  select ${out(target, 'jobId', 'endpointId', 'reachedStep', 'reachedAt', 'reachedId')}, ${out(job, 'verb', 'criteria')},
         ${job.createdAt.as('bound')}, ${out(endpoint, 'enabled')}, ${endpoint.deletedAt} is not null ${as.boolean('isDeleted')},
         ${openOfTarget} ${as.int('open')}
    from ${target}
    join ${job} on ${job.id} = ${target.jobId}
    join ${endpoint} on ${endpoint.id} = ${target.endpointId}
   where ${target.jobId} = ${jobId} and ${target.endpointId} = ${endpointId} and ${target.status} = 'open'
     and ${job.status} = 'running'
     for no key update of ${target} skip locked for share of ${job} skip locked`;

/** A place in the walk of a target. */
export interface Place {
  readonly jobId: string;
  readonly endpointId: string;
  readonly reachedAt: string;
  readonly reachedId: string;
}

/**
 * Reads the next deliveries of a step along the index, and says which of them the job sends. The filter does not limit the
 * walk, because one statement could then skip any number of deliveries.
 */
export function nextOfStep(
  step: ReplayStep,
  place: Place,
  { criteria, bound, limit }: { readonly criteria: ReplayFilter; readonly bound: string; readonly limit: number },
) {
  const { delivery_ids: ids } = criteria;
  return sql`
    select ${out(delivery, 'id', 'createdAt')},
           coalesce(${delivery.replayJobId} <> ${place.jobId}, true) and ${walked(step, criteria)} ${as.boolean('isWanted')}
      from ${endpoint}
      join ${delivery} on ${delivery.endpointId} = ${endpoint.id}
     where ${endpoint.id} = ${place.endpointId} and ${delivery.endpointId} = ${place.endpointId} and ${having(step)}
       and not ${delivery.superseded} and ${delivery.createdAt} <= ${bound}::timestamptz
       and (${delivery.createdAt}, ${delivery.id}) > (${place.reachedAt}::timestamptz, ${place.reachedId})
       ${ids === undefined ? sql`` : sql`and ${delivery.id} = any(${ids})`}
     order by ${delivery.createdAt}, ${delivery.id} limit ${limit}`;
}

/** Locks those of the deliveries that still are what the step sends. Waiting ones whose attempt is recorded are skipped. */
export const lockChosen = (step: ReplayStep, ids: readonly string[]) => sql`
  select ${out(delivery, 'id')} from ${delivery}
   where ${delivery.id} = any(${ids}) and ${having(step)} and not ${delivery.superseded}
   order by ${delivery.createdAt}, ${delivery.id}
     for no key update ${step === 'held' || step === 'pending' ? sql`skip locked` : sql``}`;

/** What a batch has changed: the new place of the target and its counts. */
export interface Progress extends Pick<ReplayTarget, 'reachedStep' | 'status'> {
  readonly reachedAt: string;
  readonly reachedId: string;
  readonly sent: number;
  readonly skipped: number;
}

/** Records the progress of a target. */
export const recordProgress = ({ jobId, endpointId }: Place, { sent, skipped, ...progress }: Progress) => sql`
  update ${target}
     set ${set(target, {
       ...progress,
       sent: sql`${target.sent} + ${sent}::int`,
       skipped: sql`${target.skipped} + ${skipped}::int`,
     })}
   where ${target.jobId} = ${jobId} and ${target.endpointId} = ${endpointId}`;

/** Ends a target. */
export const endTarget = ({ jobId, endpointId }: Pick<Place, 'jobId' | 'endpointId'>, status: TargetStatus) => sql`
  update ${target} set ${set(target, { status })}
   where ${target.jobId} = ${jobId} and ${target.endpointId} = ${endpointId}`;

/** Ends running jobs that have nothing left to send and nothing that waits. */
export const endJobs = sql`
  update ${job} set ${set(job, { status: 'done', updatedAt: sql`now()`, finishedAt: sql`now()` })}
   where ${job.status} = 'running'
     and not exists (select from ${target} where ${target.jobId} = ${job.id} and ${target.status} = 'open')
     and not exists (select from ${delivery} where ${delivery.replayJobId} = ${job.id} and ${delivery.status} = 'pending')
  returning ${out(job, 'id')}`;

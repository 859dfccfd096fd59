import type { Environment } from '../../domain/network.js';
import { join, raw, sql, type SqlText } from '../../platform/sql/sql.js';
import { columns, out, table, values } from '../../platform/sql/table.js';
import { Delivery } from '../deliveries/delivery.entity.js';
import { WebhookEndpoint } from '../endpoints/webhook-endpoint.entity.js';
import type { ReplayFilter, ReplayStep } from './replay-filter.js';
import { ReplayJob } from './replay-job.entity.js';
import { ReplayTarget } from './replay-target.entity.js';
import { mayFind } from './replay-walk.sql.js';

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

/** Inserts a target for each enabled endpoint that may have a delivery which the job sends. */
export function insertTargets(
  id: string,
  environment: Environment,
  filter: ReplayFilter,
  steps: readonly ReplayStep[],
) {
  const some = steps.map((step) => mayFind(endpoint.id, step, filter));
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
  const { merchant_id: merchantId, endpoint_id: endpointId, delivery_ids: ids, event_id: eventId } = filter;
  const chosen = table(Delivery, 'chosen');
  return [
    sql`${endpoint.environment} = ${environment}`,
    ...(merchantId === undefined ? [] : [sql`${endpoint.merchantId} = ${merchantId}`]),
    ...(endpointId === undefined ? [] : [sql`${endpoint.id} = ${endpointId}`]),
    ...(ids === undefined
      ? []
      : [sql`${endpoint.id} in (select ${chosen.endpointId} from ${chosen} where ${chosen.id} = any(${ids}))`]),
    ...(eventId === undefined
      ? []
      : [sql`${endpoint.id} in (select ${chosen.endpointId} from ${chosen} where ${chosen.eventId} = ${eventId})`]),
  ];
}

import { Merchant } from '../../auth/merchant.entity.js';
import type { Environment } from '../../domain/network.js';
import { as } from '../../platform/sql/as.js';
import { newestFirst, type TimeCursor, withinTime } from '../../platform/sql/newest-first.js';
import { subselect, define } from '../../platform/sql/relation.js';
import { join, sql, type SqlText } from '../../platform/sql/sql.js';
import { every, out, table } from '../../platform/sql/table.js';
import { Delivery } from '../deliveries/delivery.entity.js';
import { WebhookEndpoint } from '../endpoints/webhook-endpoint.entity.js';
import { ReplayJob } from './replay-job.entity.js';
import { ReplayTarget } from './replay-target.entity.js';

const job = table(ReplayJob);
const target = table(ReplayTarget);
const delivery = table(Delivery);
const endpoint = table(WebhookEndpoint);
const merchant = table(Merchant);

const fedOfJob = sql`
  select coalesce(sum(${target.sent}), 0)::int ${as.int('sent')}, coalesce(sum(${target.skipped}), 0)::int ${as.int('skipped')},
         count(*)::int ${as.int('endpoints')}, (count(*) filter (where ${target.status} = 'open'))::int ${as.int('openTargets')}
    from ${target} where ${target.jobId} = ${job.id}`;
const countsOf = (which: SqlText) => sql`
  select (count(*) filter (where ${delivery.status} = 'delivered'))::int ${as.int('delivered')},
         (count(*) filter (where ${delivery.status} = 'dead_letter'))::int ${as.int('failed')},
         (count(*) filter (where ${delivery.status} in ('pending', 'held')))::int ${as.int('waiting')}
    from ${delivery} where ${which}`;
const fed = subselect('fed', fedOfJob);
const ended = subselect('ended', countsOf(sql`${delivery.replayJobId} = ${job.id}`));
const endedHere = subselect(
  'ended',
  countsOf(sql`${delivery.replayJobId} = ${target.jobId} and ${delivery.endpointId} = ${target.endpointId}`),
);

const shownJobs = (which: SqlText) => sql`
  select ${every(job)}, ${fed.sent.as('sent')}, ${fed.skipped.as('skipped')}, ${fed.endpoints.as('endpoints')},
         ${fed.openTargets.as('openTargets')}, ${ended.delivered.as('delivered')}, ${ended.failed.as('failed')},
         ${ended.waiting.as('waiting')}, ${endpoint.url.asOrNull('endpointUrl')}, ${merchant.name.asOrNull('merchantName')}
    from ${job} cross join lateral ${define(fed)} cross join lateral ${define(ended)}
    left join ${endpoint} on ${endpoint.id} = ${job.criteria} ->> 'endpoint_id'
    left join ${merchant} on ${merchant.id} = ${job.criteria} ->> 'merchant_id' ${which}`;

/** Finds a job of an environment with its counts. */
export const findJob = (environment: Environment, id: string) =>
  shownJobs(sql`where ${job.id} = ${id} and ${job.environment} = ${environment}`);

/** Finds the place of a job in the list. */
export const placeOfJob = (environment: Environment, id: string) => sql`
  select ${out(job, 'id', 'createdAt')} from ${job} where ${job.id} = ${id} and ${job.environment} = ${environment}`;

/** Reads `limit` jobs of an environment after the cursor, newest first. */
export const jobPage = (environment: Environment, limit: number, cursor: TimeCursor | null) =>
  shownJobs(sql`
    where ${join([sql`${job.environment} = ${environment}`, ...withinTime(job, {}, cursor)], ' and ')}
    ${newestFirst(job)} limit ${limit}`);

/** Reads the endpoints of a job, the one with the most first. */
export const targetsOf = (id: string) => sql`
  select ${out(target, 'endpointId', 'status', 'sent', 'skipped')}, ${out(endpoint, 'url', 'enabled', 'merchantId')},
         ${endedHere.delivered.as('delivered')}, ${ended.failed.as('failed')}, ${ended.waiting.as('waiting')}
    from ${target}
    join ${endpoint} on ${endpoint.id} = ${target.endpointId}
   cross join lateral ${define(endedHere)}
   where ${target.jobId} = ${id}
   order by ${target.sent} desc, ${target.endpointId} limit 100`;

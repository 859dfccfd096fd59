import { Merchant } from '../../auth/merchant.entity.js';
import type { Environment } from '../../domain/network.js';
import { as } from '../../platform/sql/as.js';
import { all, define, type Relation, relation, subselect } from '../../platform/sql/relation.js';
import { type RowOf, sql, type SqlText } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { Delivery } from '../deliveries/delivery.entity.js';
import { WebhookEndpoint } from '../endpoints/webhook-endpoint.entity.js';
import type { ResponseClass } from './delivery-filter.js';

const delivery = table(Delivery);
const endpoint = table(WebhookEndpoint);
const merchant = table(Merchant);

/** A dead letter that no later series has superseded; the condition of partial indexes. */
export const isDead = sql`${delivery.status} = 'dead_letter' and not ${delivery.superseded}`;

/** The cause of a dead letter, as its index has it: the status of the last answer, or why there was none. */
export const causeOf = sql`coalesce(${delivery.lastResponseStatus}::text, ${delivery.lastErrorCode}, '')`;

/** Reads an endpoint and a cause of dead letters. */
const nextCause = (environment: Environment, isLater: SqlText) => sql`
  select ${out(delivery, 'endpointId')}, ${causeOf} ${as.text('cause')} from ${delivery}
   where ${delivery.environment} = ${environment} and ${isDead} ${isLater}
   order by ${delivery.endpointId}, ${causeOf} limit 1`;
const cause = relation<RowOf<typeof nextCause>>('causes');
const following = relation<RowOf<typeof nextCause>>('following');

/**
 * Every endpoint and cause of dead letters in an environment. One index probe finds the next pair and skips all dead
 * letters of the one before. It stands after `with recursive`.
 */
export const causeRows = (environment: Environment): SqlText => sql`
  ${cause} as (
    (${nextCause(environment, sql``)})
    union all
    select ${all(following)} from ${cause}
     cross join lateral (${nextCause(
       environment,
       sql`and (${delivery.endpointId}, ${causeOf}) > (${cause.endpointId}, ${cause.cause})`,
     )}) ${following})`;

/** Reads the pairs whose cause is of a class of answers, of the given endpoints or of all. */
export function relatedCauses(response: ResponseClass, endpoints: SqlText | null) {
  const digit = response === 'none' ? '[^0-9]' : response.slice(0, 1);
  const isOfEndpoints = endpoints === null ? sql`` : sql`and ${cause.endpointId} in (${endpoints})`;
  return sql`
    select ${cause.endpointId.as('id')}, ${cause.cause.as('cause')} from ${cause}
     where ${cause.cause} ~ ${`^${digit}`} ${isOfEndpoints}`;
}

type Cause = Relation<RowOf<typeof nextCause>>;

const isOf = ({ endpointId, cause: name }: Cause, environment: Environment): SqlText => sql`
  ${delivery.environment} = ${environment} and ${delivery.endpointId} = ${endpointId}
    and ${causeOf} = ${name} and ${isDead}`;

const countedOf = (environment: Environment, max: number) => sql`
  select count(*) ${as.digits('count')} from (
    select from ${delivery} where ${isOf(cause, environment)} limit ${max}) few`;
const counted = subselect('counted', countedOf);
const newestOf = (environment: Environment) => sql`
  select ${delivery.createdAt.as('latest')}, ${delivery.id.as('latestId')} from ${delivery}
   where ${isOf(cause, environment)} order by ${delivery.createdAt} desc, ${delivery.id} desc limit 1`;
const newest = subselect('newest', newestOf);

const largestGroups = (environment: Environment, { max, limit }: { max: number; limit: number }) => sql`
  select ${cause.endpointId.as('endpointId')}, ${cause.cause.as('cause')}, ${all(counted)}, ${all(newest)} from ${cause}
   cross join lateral ${define(counted, environment, max)}
   cross join lateral ${define(newest, environment)}
   order by ${counted.count} desc, ${newest.latest} desc limit ${limit}`;
const largest = subselect('largest', largestGroups);

const oldestOf = (environment: Environment) => sql`
  select ${delivery.createdAt.as('since')} from ${delivery} where ${isOf(largest, environment)}
   order by ${delivery.createdAt}, ${delivery.id} limit 1`;
const oldest = subselect('oldest', oldestOf);

/** Reads the endpoints with dead letters by cause, the largest group first. Counts stop at `max`. */
export const deadLettersByCause = (environment: Environment, size: { max: number; limit: number }) => sql`
  with recursive ${causeRows(environment)}
  select ${all(largest)}, ${all(oldest)}, ${out(endpoint, 'url', 'enabled', 'disabledReason', 'failingSince', 'merchantId')},
         ${endpoint.deletedAt} is not null ${as.boolean('isDeleted')}, ${merchant.name.as('merchantName')}
    from ${define(largest, environment, size)}
   cross join lateral ${define(oldest, environment)}
    join ${endpoint} on ${endpoint.id} = ${largest.endpointId}
    join ${merchant} on ${merchant.id} = ${endpoint.merchantId}
   order by ${largest.count} desc, ${largest.latest} desc`;

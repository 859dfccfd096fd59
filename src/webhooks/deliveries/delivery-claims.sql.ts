import { Event } from '../../events/event.entity.js';
import { as } from '../../platform/sql/as.js';
import { all, cte, define, subselect } from '../../platform/sql/relation.js';
import { literal, sql, type SqlText } from '../../platform/sql/sql.js';
import { out, set, table } from '../../platform/sql/table.js';
import { WebhookEndpoint } from '../endpoints/webhook-endpoint.entity.js';
import { Delivery } from './delivery.entity.js';
import { waiting, waitingEndpoints } from './waiting-endpoints.sql.js';

const delivery = table(Delivery);
const endpoint = table(WebhookEndpoint);
const event = table(Event);

/** No lease of the delivery is still valid. */
const isIdle = sql`(${delivery.leaseUntil} is null or ${delivery.leaseUntil} <= now())`;
/** A delivery may be leased: it waits, is due, and has no lease that is still valid. */
const isClaimable = sql`${delivery.status} = 'pending' and ${delivery.dueAt} <= now() and ${isIdle}`;

const IN_FLIGHT_WHILE_FAILING_MAX = 1;

/** Found by its id alone: with the other conditions, the planner may read a whole partial index for each endpoint. */
const receiverOfWaiting = sql`
  select ${endpoint.failingSince} is not null ${as.boolean('failing')},
         ${endpoint.enabled} and ${endpoint.deletedAt} is null ${as.boolean('receives')}
    from ${endpoint} where ${endpoint.id} = ${waiting.endpointId} limit 1`;
const receiver = subselect('receiver', receiverOfWaiting);

const inFlightOfWaiting = (max: SqlText) => sql`
  select count(*) ${as.digits('leased')} from (
    select from ${delivery} where ${delivery.endpointId} = ${waiting.endpointId} and ${delivery.leaseUntil} > now()
     order by ${delivery.leaseUntil} limit ${max}) in_flight`;
const busy = subselect('busy', inFlightOfWaiting);

const oldestOfWaiting = (max: SqlText) => sql`
  select ${out(delivery, 'id', 'dueAt')}, row_number() over (order by ${delivery.dueAt}) ${as.digits('turn')}
    from ${delivery}
   where ${delivery.endpointId} = ${waiting.endpointId} and ${isClaimable}
   order by ${delivery.dueAt} limit ${max}`;
const oldest = subselect('oldest', oldestOfWaiting);

const dueOf = (max: SqlText) => sql`
  select ${all(oldest)}, ${all(receiver)}
    from ${waiting}
   cross join lateral ${define(receiver)}
   cross join lateral ${define(busy, max)}
   cross join lateral ${define(oldest, max)}
   where ${receiver.receives} and ${oldest.turn} + ${busy.leased} <=
     case when ${receiver.failing} then ${literal(IN_FLIGHT_WHILE_FAILING_MAX)} else ${max} end`;
const due = subselect('due', dueOf);

const placed = (max: SqlText) => sql`
  select ${all(due)},
         row_number() over (partition by ${due.failing} order by ${due.turn}, ${due.dueAt}) ${as.digits('place')}
    from ${define(due, max)}`;
const ranked = subselect('ranked', placed);

/** The number of deliveries that a process can take on. */
export interface FreeSlots {
  readonly total: number;
  /** The most of these that may go to failing endpoints. */
  readonly failing: number;
}

/** What limits a claim. */
interface ClaimLimits extends FreeSlots {
  /** Attempts in flight to one endpoint at a time, over all processes: a slow endpoint delays only itself. */
  readonly perEndpoint: number;
}

/**
 * Leases due deliveries for so many milliseconds under a token. The oldest delivery of every endpoint comes first, then
 * the second oldest of every endpoint, so that none waits behind the backlog of another endpoint. The limits per endpoint
 * are literals and the chosen ids an array: otherwise the planner would expect thousands of rows and read the whole table.
 * Every subquery for an endpoint ends in a `limit`, also the count in flight, so that it is an index scan. An index scan
 * marks dead entries, and later scans skip them; a bitmap scan does not.
 */
export function claimDue({ total, failing, perEndpoint }: ClaimLimits, leaseMs: number, leaseToken: string) {
  const chosen = cte(
    'chosen',
    sql`
      select ${ranked.id.as('id')} from ${define(ranked, literal(perEndpoint))}
       where not ${ranked.failing} or ${ranked.place} <= ${failing}::int
       order by ${ranked.turn}, ${ranked.dueAt} limit ${total}::int`,
  );
  const leaseUntil = sql`clock_timestamp() + ${leaseMs}::int * interval '1 millisecond'`;
  return sql`
    with recursive ${waitingEndpoints}, ${define(chosen)}
    update ${delivery} set ${set(delivery, { leaseUntil, leaseHolder: leaseToken })}
      from ${event}, ${endpoint}
     where ${delivery.id} = any(array(select ${chosen.id} from ${chosen})) and ${isClaimable}
       and ${event.id} = ${delivery.eventId} and ${endpoint.id} = ${delivery.endpointId}
    returning ${out(delivery, 'id', 'attempts', 'eventId', 'endpointId', 'replayJobId')}, ${event.body.asNotNull('body')},
      ${out(event, 'traceparent')}, ${out(endpoint, 'environment', 'url', 'secret')},
      case when ${endpoint.previousSecretExpiresAt} > now() then ${endpoint.previousSecret} end ${as.bytesOrNull('previousSecret')},
      ${endpoint.failingSince} is not null ${as.boolean('failing')},
      (extract(epoch from clock_timestamp()) * 1000)::float8 ${as.double('nowMs')}`;
}

/** Waits until no other process claims. */
export const takeClaimingTurn = sql`select pg_advisory_xact_lock(hashtextextended(${'coffer:webhooks.claim'}, 0))`;

/** Cancels deliveries of deleted endpoints, except those in flight, until their attempt is recorded. */
export function cancelOrphans(limit: number) {
  const idle = sql`
    select ${out(delivery, 'id')} from ${delivery}
     where ${delivery.endpointId} = ${endpoint.id} and ${delivery.status} = 'pending' and ${isIdle}
     order by ${delivery.dueAt} limit ${limit} for update skip locked`;
  const orphan = subselect('orphan', idle);
  return sql`
    with recursive ${waitingEndpoints}
    update ${delivery}
       set ${set(delivery, {
         status: 'cancelled',
         finishedAt: sql`now()`,
         leaseUntil: sql`null`,
         leaseHolder: sql`null`,
       })}
     where ${delivery.id} in (
       select ${orphan.id} from ${waiting}
         join ${endpoint} on ${endpoint.id} = ${waiting.endpointId} and ${endpoint.deletedAt} is not null
        cross join lateral ${define(orphan)}
        limit ${limit})
    returning ${out(delivery, 'id')}`;
}

/** Whether deliveries wait for a disabled or deleted endpoint, or are paused for one that is enabled or deleted. */
const isAnyChanged = sql`(
  exists (select from ${waiting}
            join ${endpoint} on ${endpoint.id} = ${waiting.endpointId}
             and (not ${endpoint.enabled} or ${endpoint.deletedAt} is not null))
  or exists (select from ${endpoint} where ${endpoint.holds} and (${endpoint.enabled} or ${endpoint.deletedAt} is not null)))`;

/**
 * Pauses deliveries of disabled endpoints, so that a claim does not read them; those in flight stay until their attempt is
 * recorded. This statement and `resumeHeld` run under the lock of the claims.
 */
export function pauseDisabled(limit: number) {
  const idle = sql`
    select ${out(delivery, 'id')} from ${delivery}
     where ${delivery.endpointId} = ${endpoint.id} and ${delivery.status} = 'pending' and ${isIdle}
     order by ${delivery.dueAt} limit ${limit}`;
  const idling = subselect('idling', idle);
  const held = cte(
    'held',
    sql`
      update ${delivery} set ${set(delivery, { status: 'held', leaseUntil: sql`null`, leaseHolder: sql`null` })}
       where ${delivery.id} in (
         select ${idling.id} from ${waiting}
           join ${endpoint} on ${endpoint.id} = ${waiting.endpointId} and not ${endpoint.enabled} and ${endpoint.deletedAt} is null
          cross join lateral ${define(idling)}
          limit ${limit})
      returning ${out(delivery, 'endpointId')}`,
  );
  return sql`
    with recursive ${waitingEndpoints}, ${define(held)},
    noted as (
      update ${endpoint} set ${set(endpoint, { holds: true })}
       where ${endpoint.id} in (select ${held.endpointId} from ${held}) and not ${endpoint.holds})
    select ${all(held)} from ${held}`;
}

const ready = cte(
  'ready',
  sql`
    select ${out(endpoint, 'id')}, ${endpoint.deletedAt} is not null ${as.boolean('deleted')} from ${endpoint}
     where ${endpoint.holds} and (${endpoint.enabled} or ${endpoint.deletedAt} is not null)
     order by ${endpoint.id} limit 1 for no key update`,
);

/**
 * Resumes paused deliveries of one endpoint that is enabled again, or cancels them when it was deleted. Returns no row when
 * there is no such endpoint.
 */
export function resumeHeld(limit: number) {
  const released = cte(
    'released',
    sql`
      update ${delivery}
         set ${set(delivery, {
           status: sql`case when ${ready.deleted} then 'cancelled' else 'pending' end`,
           finishedAt: sql`case when ${ready.deleted} then now() end`,
         })}
        from ${ready}
       where ${delivery.id} = any(array(
         select ${delivery.id} from ${delivery}
          where ${delivery.endpointId} = (select ${ready.id} from ${ready}) and ${delivery.status} = 'held'
          order by ${delivery.dueAt} limit ${limit}))
      returning ${out(delivery, 'id')}`,
  );
  return sql`
    with ${define(ready)}, ${define(released)},
    emptied as (
      update ${endpoint} set ${set(endpoint, { holds: false })}
       where ${endpoint.id} = (select ${ready.id} from ${ready}) and (select count(*) from ${released}) < ${limit})
    select ${ready.id.as('id')} from ${ready}`;
}

const dueOfWaiting = sql`
  select ${out(delivery, 'id')} from ${delivery}
   where ${delivery.endpointId} = ${waiting.endpointId} and ${isClaimable} order by ${delivery.dueAt} limit 1`;
const claimable = subselect('claimable', dueOfWaiting);

const nextOfWaiting = sql`
  select ${out(delivery, 'dueAt')} from ${delivery}
   where ${delivery.endpointId} = ${waiting.endpointId} and ${delivery.status} = 'pending' and ${delivery.dueAt} > now()
   order by ${delivery.dueAt} limit 1`;
const next = subselect('upcoming', nextOfWaiting);

/**
 * Reads what a poll has to do: whether endpoints have changed, whether a delivery is due, and the milliseconds until the
 * earliest future due time. It goes endpoint by endpoint too: if there were an index on the due time alone, the planner would
 * use it for the claim as well when its statistics show one large endpoint.
 */
export const pollState = sql`
  with recursive ${waitingEndpoints}
  select ${isAnyChanged} ${as.boolean('isChanged')},
         exists (select from ${waiting} cross join lateral ${define(claimable)}) ${as.boolean('isDue')},
         (select (extract(epoch from min(${next.dueAt}) - now()) * 1000)::float8
            from ${waiting} cross join lateral ${define(next)}) ${as.doubleOrNull('dueInMs')}`;

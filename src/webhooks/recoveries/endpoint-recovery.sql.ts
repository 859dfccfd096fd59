import { Event } from '../../events/event.entity.js';
import { as } from '../../platform/sql/as.js';
import { flooredNow } from '../../platform/sql/floored-now.js';
import { given, unnest } from '../../platform/sql/given.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { columns, out, set, table, values } from '../../platform/sql/table.js';
import { Delivery } from '../deliveries/delivery.entity.js';
import { WebhookEndpoint } from '../endpoints/webhook-endpoint.entity.js';
import { type RecoveredStatus, type RecoveryStatus, WebhookRecovery } from './webhook-recovery.entity.js';

const recovery = table(WebhookRecovery);
const endpoint = table(WebhookEndpoint);
const delivery = table(Delivery);
const event = table(Event);
const begun = given('begun', { id: 'text', lastId: 'text' });

/**
 * A delivery can have an earlier `created_at` than its event, because the relay's transaction may begin before that of the
 * event. No transaction lasts an hour, so a walk from an hour before `since` finds every delivery of an event since then.
 */
const earlierThanEvent = sql`interval '1 hour'`;

/** Finds recoveries that are not done. */
export const queuedRecoveries = sql`select ${out(recovery, 'id')} from ${recovery} where ${recovery.status} = 'queued'`;

/** Inserts an order whose walk begins with the deliveries of a status. */
export const insertRecovery = (
  order: Pick<WebhookRecovery, 'id' | 'endpointId' | 'since' | 'status' | 'reachedStatus'>,
) => sql`
  insert into ${recovery}
  ${values(recovery, {
    ...order,
    reachedAt: sql`${order.since}::timestamptz - ${earlierThanEvent}`,
    reachedId: '',
    createdAt: sql`now()`,
  })}
  returning ${out(recovery, 'createdAt')}`;

/** Locks a recovery that has not ended, so that workers take turns with its batches. */
export const lockRecovery = (id: string) => sql`
  select ${out(recovery, 'id', 'reachedStatus')},
         ${endpoint.enabled} and ${endpoint.deletedAt} is null ${as.boolean('isOpen')}
    from ${recovery} join ${endpoint} on ${endpoint.id} = ${recovery.endpointId}
   where ${recovery.id} = ${id} and ${recovery.status} = 'queued'
     for update of ${recovery}`;

/**
 * Deliveries are locked while the claims are (`takeTurn`), so a locked one is one whose attempt is being recorded, or that
 * is being retried. It is skipped, because waiting for several could deadlock.
 */
const skipped = sql`skip locked`;

/** By status, which deliveries the walk locks, and how. The statuses are literals, for the sake of partial indexes. */
const walks: Readonly<Record<RecoveredStatus, { readonly which: SqlText; readonly lock: SqlText }>> = {
  held: { which: sql`${delivery.status} = 'held'`, lock: skipped },
  pending: { which: sql`${delivery.status} = 'pending'`, lock: skipped },
  dead_letter: { which: sql`${delivery.status} = 'dead_letter' and not ${delivery.superseded}`, lock: sql`` },
};

/**
 * Locks the next deliveries of the recovery that have the status, and says which of them are of events since its `since`.
 * The event's time does not filter the walk, because one statement could then skip any number of deliveries. The limit is
 * inside the lateral join, so that the planner cannot sort all remaining deliveries first.
 */
export function nextDeliveries(status: RecoveredStatus, id: string, limit: number) {
  const { which, lock } = walks[status];
  const walk = sql`
    select ${out(delivery, 'id', 'eventId', 'createdAt')} from ${delivery}
     where ${delivery.endpointId} = ${recovery.endpointId} and ${which} and ${delivery.createdAt} <= ${recovery.createdAt}
       and (${delivery.createdAt}, ${delivery.id}) > (${recovery.reachedAt}, ${recovery.reachedId})
     order by ${delivery.createdAt}, ${delivery.id} limit ${limit}
       for no key update of ${delivery} ${lock}`;
  const walked = subselect('walked', walk);
  return sql`
    select ${walked.id.as('id')}, ${event.createdAt} >= ${recovery.since} ${as.boolean('isWanted')}
      from ${recovery}
     cross join lateral ${define(walked)}
      join ${event} on ${event.id} = ${walked.eventId}
     where ${recovery.id} = ${id}
     order by ${walked.createdAt}, ${walked.id}`;
}

/**
 * Makes those of the deliveries due that wait for a later time, or are paused for an endpoint that is enabled again; for a
 * job of staff if its id is given.
 */
export const makeWaitingDue = (ids: readonly string[], replayJobId?: string) => sql`
  update ${delivery}
     set ${set(delivery, {
       status: 'pending',
       dueAt: flooredNow,
       replayJobId: replayJobId ?? delivery.replayJobId,
     })}
   where ${delivery.id} = any(${ids}) and (${delivery.status} = 'held' or ${delivery.dueAt} > now())
     and (${delivery.leaseUntil} is null or ${delivery.leaseUntil} <= now())
  returning ${out(delivery, 'id')}`;

/** Begins the next series of finished deliveries, under new ids; for a job of staff if its id is given. */
export function beginNextSeries(
  series: readonly { readonly id: string; readonly lastId: string }[],
  replayJobId: string | null = null,
) {
  const last = table(Delivery, 'last');
  return sql`
    insert into ${delivery}
      ${columns(delivery, 'id', 'eventId', 'endpointId', 'merchantId', 'environment', 'eventType', 'replayJobId', 'series', 'status')}
    select ${begun.id}, ${last.eventId}, ${last.endpointId}, ${last.merchantId}, ${last.environment}, ${last.eventType},
           ${replayJobId}, ${last.series} + 1, 'pending'
      from ${unnest(begun, series)} join ${last} on ${last.id} = ${begun.lastId}
    returning ${out(delivery, 'id')}`;
}

/** Records that a recovery has reached a delivery of its current status, and recovered so many more. */
export const markReached = (id: string, deliveryId: string, recovered: number) => sql`
  update ${recovery}
     set ${set(recovery, {
       reachedAt: delivery.createdAt,
       reachedId: delivery.id,
       recovered: sql`${recovery.recovered} + ${recovered}::int`,
     })}
    from ${delivery} where ${recovery.id} = ${id} and ${delivery.id} = ${deliveryId}`;

/** Continues a recovery with the deliveries of another status. */
export const beginStatus = (id: string, reachedStatus: RecoveredStatus) => sql`
  update ${recovery}
     set ${set(recovery, { reachedStatus, reachedAt: sql`${recovery.since} - ${earlierThanEvent}`, reachedId: '' })}
   where ${recovery.id} = ${id}`;

/** Ends a recovery. */
export const markEnded = (id: string, status: RecoveryStatus) => sql`
  update ${recovery} set ${set(recovery, { status, finishedAt: sql`now()` })} where ${recovery.id} = ${id}`;

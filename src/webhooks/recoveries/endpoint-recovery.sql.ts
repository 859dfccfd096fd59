/** Locks the open recovery `$1`, so that workers take turns with its batches. */
export const LOCK_RECOVERY_STATEMENT = `
  select recovery.id, recovery.endpoint_id, recovery.reached_status,
         endpoint.enabled and endpoint.deleted_at is null as is_open
    from webhook_recovery recovery join webhook_endpoint endpoint on endpoint.id = recovery.endpoint_id
   where recovery.id = $1 and recovery.status = 'queued'
     for update of recovery`;

/**
 * Locks the next `$2` deliveries of the recovery `$1`. `wanted` marks those of events since its `since`. The event's time
 * does not filter the walk, because one statement could then skip any number of deliveries. The limit is inside the
 * lateral join, so that the planner cannot sort all remaining deliveries first.
 */
const nextStatement = (condition: string, lock: string): string => `
  select d.id, d.created_at, event.created_at >= recovery.since as wanted
    from webhook_recovery recovery
   cross join lateral (
     select * from delivery d
      where d.endpoint_id = recovery.endpoint_id and ${condition} and d.created_at <= recovery.created_at
        and (d.created_at, d.id) > (recovery.reached_at, recovery.reached_id)
      order by d.created_at, d.id limit $2
        for no key update of d ${lock}) d
    join event on event.id = d.event_id
   where recovery.id = $1
   order by d.created_at, d.id`;

/**
 * These statements run under the lock of the claims (`takeTurn`), so a locked delivery is one whose attempt is being
 * recorded, or that is being retried. It is skipped, because waiting for several could deadlock.
 */
const nextWaiting = (status: 'pending' | 'held'): string => nextStatement(`d.status = '${status}'`, 'skip locked');

/**
 * The order of the walk. `pending` comes after `held`, because enabling an endpoint makes held deliveries pending.
 */
export const RECOVERED_STATUSES = ['held', 'pending', 'dead_letter'] as const;
export type RecoveredStatus = (typeof RECOVERED_STATUSES)[number];

export const NEXT_STATEMENTS: Readonly<Record<RecoveredStatus, string>> = {
  pending: nextWaiting('pending'),
  held: nextWaiting('held'),
  dead_letter: nextStatement(`d.status = 'dead_letter' and not d.superseded`, ''),
};

/** Makes those of the deliveries `$1` due that wait for a later time, or are paused for an endpoint that is enabled again. */
const MAKE_DUE_STATEMENT = `
  update delivery set status = 'pending', due_at = date_trunc('milliseconds', now())
   where id = any($1) and (status = 'held' or due_at > now()) and (lease_until is null or lease_until <= now())
  returning id`;

/** Begins the next series of the dead letters `$1`; `$2` are the ids of the new deliveries. */
const BEGIN_SERIES_STATEMENT = `
  insert into delivery (id, event_id, endpoint_id, merchant_id, environment, series, status)
  select begun.id, last.event_id, last.endpoint_id, last.merchant_id, last.environment, last.series + 1, 'pending'
    from unnest($1::text[], $2::text[]) as begun (last_id, id) join delivery last on last.id = begun.last_id
  returning id`;

export const RECOVER_STATEMENTS: Readonly<Record<RecoveredStatus, string>> = {
  pending: MAKE_DUE_STATEMENT,
  held: MAKE_DUE_STATEMENT,
  dead_letter: BEGIN_SERIES_STATEMENT,
};

/** Records that the recovery `$1` has reached the delivery `$2` of its current status, and recovered `$3` more. */
export const REACH_STATEMENT = `
  update webhook_recovery recovery
     set reached_at = d.created_at, reached_id = d.id, recovered = recovered + $3::int
    from delivery d where recovery.id = $1 and d.id = $2`;

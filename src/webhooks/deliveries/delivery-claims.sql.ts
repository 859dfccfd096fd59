/** A delivery may be leased: it waits, is due, and has no lease that is still valid. */
const CLAIMABLE = `d.status = 'pending' and d.due_at <= now() and (d.lease_until is null or d.lease_until <= now())`;

/**
 * Every endpoint with waiting deliveries. One index probe finds the next endpoint and skips all deliveries of the one
 * before, so the cost grows with the number of endpoints and not with the backlog of one.
 */
const WAITING_ENDPOINTS = `
  waiting (endpoint_id) as (
    (select endpoint_id from delivery where status = 'pending' order by endpoint_id limit 1)
    union all
    select (select d.endpoint_id from delivery d
             where d.status = 'pending' and d.endpoint_id > waiting.endpoint_id
             order by d.endpoint_id limit 1)
      from waiting where waiting.endpoint_id is not null)`;

/** Attempts in flight to one endpoint at a time, over all processes: a slow endpoint delays only itself. */
const IN_FLIGHT_MAX = 4;
const IN_FLIGHT_WHILE_FAILING_MAX = 1;

/**
 * Leases up to `$1` due deliveries, `$2` of them at most of failing endpoints, for `$3` milliseconds under the token
 * `$4`. The oldest delivery of every endpoint comes first, then the second oldest of every endpoint, so that none waits
 * behind the backlog of another endpoint. The limits per endpoint are literals and the chosen ids an array: otherwise the
 * planner would expect thousands of rows and read the whole table. Every subquery for an endpoint ends in a `limit`, also
 * the count in flight, so that it is an index scan. An index scan marks dead entries, and later scans skip them; a bitmap
 * scan does not.
 */
export const CLAIM_STATEMENT = `
  with recursive ${WAITING_ENDPOINTS},
  due as (
    select delivery.id, delivery.due_at, delivery.turn, endpoint.failing
      from waiting
     cross join lateral (
       select e.failing_since is not null as failing from webhook_endpoint e
        where e.id = waiting.endpoint_id and e.enabled and e.deleted_at is null limit 1) endpoint
     cross join lateral (
       select count(*) as leased from (
         select from delivery d where d.endpoint_id = waiting.endpoint_id and d.lease_until > now()
          order by d.lease_until limit ${IN_FLIGHT_MAX}) in_flight) busy
     cross join lateral (
       select d.id, d.due_at, row_number() over (order by d.due_at) as turn from delivery d
        where d.endpoint_id = waiting.endpoint_id and ${CLAIMABLE}
        order by d.due_at limit ${IN_FLIGHT_MAX}) delivery
     where delivery.turn + busy.leased <=
       case when endpoint.failing then ${IN_FLIGHT_WHILE_FAILING_MAX} else ${IN_FLIGHT_MAX} end),
  chosen as (
    select id from (
      select id, turn, due_at, failing, row_number() over (partition by failing order by turn, due_at) as place from due
    ) ranked
     where not failing or place <= $2::int
     order by turn, due_at limit $1::int)
  update delivery d
     set lease_until = clock_timestamp() + $3::int * interval '1 millisecond', lease_holder = $4
    from event, webhook_endpoint endpoint
   where d.id = any(array(select id from chosen)) and ${CLAIMABLE}
     and event.id = d.event_id and endpoint.id = d.endpoint_id
  returning d.id, d.attempts, d.event_id, event.body, event.traceparent,
    endpoint.id as endpoint_id, endpoint.environment, endpoint.url, endpoint.secret,
    case when endpoint.previous_secret_expires_at > now() then endpoint.previous_secret end as previous_secret,
    endpoint.failing_since is not null as failing,
    (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms`;

/** Cancels up to `$1` deliveries of deleted endpoints, except those in flight, until their attempt is recorded. */
export const CANCEL_STATEMENT = `
  with recursive ${WAITING_ENDPOINTS}
  update delivery set status = 'cancelled', finished_at = now(), lease_until = null, lease_holder = null
   where id in (
     select orphan.id
       from waiting
       join webhook_endpoint endpoint on endpoint.id = waiting.endpoint_id and endpoint.deleted_at is not null
      cross join lateral (
        select d.id from delivery d
         where d.endpoint_id = endpoint.id and d.status = 'pending'
           and (d.lease_until is null or d.lease_until <= now())
         order by d.due_at limit $1 for update skip locked) orphan
      limit $1)
  returning id`;

/** Returns a row when deliveries wait for a disabled or deleted endpoint, or are paused for one that is enabled or deleted. */
export const ENDPOINTS_CHANGED_STATEMENT = `
  with recursive ${WAITING_ENDPOINTS}
  select from waiting
    join webhook_endpoint endpoint
      on endpoint.id = waiting.endpoint_id and (not endpoint.enabled or endpoint.deleted_at is not null)
   union all
  select from webhook_endpoint where holds and (enabled or deleted_at is not null)
   limit 1`;

/**
 * Pauses up to `$1` deliveries of disabled endpoints, so that a claim does not read them; those in flight stay until their
 * attempt is recorded. This statement and `RESUME_STATEMENT` run under the lock of the claims.
 */
export const PAUSE_STATEMENT = `
  with recursive ${WAITING_ENDPOINTS},
  held as (
    update delivery set status = 'held', lease_until = null, lease_holder = null
     where id in (
       select idle.id
         from waiting
         join webhook_endpoint endpoint
           on endpoint.id = waiting.endpoint_id and not endpoint.enabled and endpoint.deleted_at is null
        cross join lateral (
          select d.id from delivery d
           where d.endpoint_id = endpoint.id and d.status = 'pending'
             and (d.lease_until is null or d.lease_until <= now())
           order by d.due_at limit $1) idle
        limit $1)
    returning endpoint_id),
  noted as (
    update webhook_endpoint set holds = true where id in (select endpoint_id from held) and not holds)
  select endpoint_id from held`;

/**
 * Resumes up to `$1` paused deliveries of one endpoint that is enabled again, or cancels them when it was deleted. Returns
 * no row when there is no such endpoint.
 */
export const RESUME_STATEMENT = `
  with ready as (
    select id, deleted_at is not null as deleted from webhook_endpoint
     where holds and (enabled or deleted_at is not null)
     order by id limit 1 for no key update),
  released as (
    update delivery set status = case when ready.deleted then 'cancelled' else 'pending' end,
                        finished_at = case when ready.deleted then now() end
      from ready
     where delivery.id = any(array(
       select d.id from delivery d
        where d.endpoint_id = (select id from ready) and d.status = 'held' order by d.due_at limit $1))
    returning delivery.id),
  emptied as (
    update webhook_endpoint set holds = false
     where id = (select id from ready) and (select count(*) from released) < $1)
  select id from ready`;

/**
 * Milliseconds until the earliest future due time. It goes endpoint by endpoint too: if there were an index on the due time
 * alone, the planner would use it for the claim as well when its statistics show one large endpoint.
 */
export const NEXT_DUE_STATEMENT = `
  with recursive ${WAITING_ENDPOINTS}
  select (extract(epoch from min(next.due_at) - now()) * 1000)::float8 as due_in_ms
    from waiting cross join lateral (
      select d.due_at from delivery d
       where d.endpoint_id = waiting.endpoint_id and d.status = 'pending' and d.due_at > now()
       order by d.due_at limit 1) next`;

import { noteSuccess } from '../endpoints/endpoint-health.service.js';

/**
 * One statement, because the batch would wait between two of them while the process does other work. Finishing a delivery
 * clears its lease, so a matching lease implies `pending`. A condition on the status would make the planner read all
 * pending deliveries when its statistics say that there are none. The `any` on the array reads by primary key.
 * @param further One more common table expression, over those that were `moved`.
 */
const moveOnStatement = (further = ''): string => `
  with made as (
    select * from unnest($3::text[], $4::text[], $5::int[], $6::timestamptz[], $7::int[], $8::bigint[],
        $9::int[], $10::text[], $11::text[], $12::jsonb[], $13::text[])
      as attempt (delivery_id, lease_token, number, started_at, duration_ms, signed_at,
        response_status, error_code, error_message, response_headers, response_body)),
  moved as (
    update delivery
       set status = $1, attempts = made.number, due_at = now() + coalesce($2::bigint, 0) * interval '1 millisecond',
           finished_at = case when $1 = 'pending' then null else now() end, lease_until = null, lease_holder = null
      from made
     where delivery.id = any($3::text[]) and delivery.id = made.delivery_id and lease_holder = made.lease_token
    returning delivery.id, delivery.endpoint_id)${further}
  insert into delivery_attempt (delivery_id, number, started_at, duration_ms, signed_at,
    response_status, error_code, error_message, response_headers, response_body)
  select delivery_id, number, started_at, duration_ms, signed_at,
      response_status, error_code, error_message, response_headers, response_body
    from made join moved on moved.id = made.delivery_id
  returning delivery_id`;

/**
 * Records failed attempts: the deliveries get the status `$1`, and are due again in `$2` milliseconds if that is `pending`.
 * `$3` to `$13` are arrays over the attempts. Returns the deliveries whose lease was still ours.
 */
export const MOVE_ON_STATEMENT = moveOnStatement();

/** Records acknowledged attempts, and the success of their endpoints. */
export const ACKNOWLEDGE_STATEMENT = moveOnStatement(`,
  noted as (${noteSuccess('select endpoint_id from moved')})`);

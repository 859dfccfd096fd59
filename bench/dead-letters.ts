import type { MerchantEndpoint } from './merchant-endpoints.ts';
import type { Stage } from './stage.ts';

/** Adds dead letters, each of its own event and with the failed attempt that was its last. */
export async function loadDeadLetters(
  stage: Stage,
  { id, merchantId }: MerchantEndpoint,
  { count, body }: { readonly count: number; readonly body: string },
): Promise<void> {
  await stage.query('begin');
  // Referential checks, row by row, would take longer than the rows.
  await stage.query(`set local session_replication_role = 'replica'`);
  await stage.query(LOAD, [id, merchantId, count, body]);
  await stage.query('commit');
}

/** $1 the endpoint, $2 its merchant, $3 count, $4 body. Events that are made later go on with the sequence. */
const LOAD = `
  with counter as (
    insert into event_counter as counter (merchant_id, environment, last_sequence) values ($2, 'sandbox', $3::int)
    on conflict (merchant_id, environment) do update set last_sequence = counter.last_sequence + excluded.last_sequence
    returning last_sequence),
  numbered as (
    select 'evt_' || md5(random()::text || n) as event_id, last_sequence + 1 - n as sequence
      from counter cross join generate_series(1, $3::int) n),
  event_row as (
    insert into event (id, merchant_id, environment, type, resource_id, data, sequence, body)
    select event_id, $2, 'sandbox', 'ping', 'bench', '{}', sequence, $4 from numbered),
  dead as (
    insert into delivery (id, event_id, endpoint_id, merchant_id, environment, event_type, status, attempts, finished_at,
                          last_response_status)
    select 'dlv' || event_id, event_id, $1, $2, 'sandbox', 'ping', 'dead_letter', 1, now(), 500 from numbered returning id)
  insert into delivery_attempt (delivery_id, number, started_at, duration_ms, signed_at, response_status)
  select id, 1, now(), 20, 0, 500 from dead`;

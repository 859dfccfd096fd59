import { newId } from './compiled.ts';
import type { Stage } from './stage.ts';

const ENDPOINTS = 20;
const OTHERS = 40;

export interface DeliveriesTable {
  /** Owns half of the deliveries. */
  readonly merchantId: string;
  /** Of its endpoints, the one with the most deliveries: a third of them. */
  readonly endpointId: string;
}

const DEAD_PER_THOUSAND = 2;

/**
 * Fills the table with deliveries of a year, each of its own event and with its attempt. Of each thousand, two (or as many
 * as given) are dead letters, one waits until tomorrow and one was cancelled; none of this depends on the place in the list.
 */
export async function loadDeliveries(
  stage: Stage,
  rows: number,
  deadPerThousand = DEAD_PER_THOUSAND,
): Promise<DeliveriesTable> {
  const [merchantId, other] = [newId('mer_'), newId('mer_')];
  const mine = Array.from({ length: ENDPOINTS }, () => newId('we_'));
  const others = Array.from({ length: OTHERS }, () => newId('we_'));
  await stage.query(`insert into merchant (id, name) values ($1, 'bench'), ($2, 'bench')`, [merchantId, other]);
  for (const [owner, ids] of [
    [merchantId, mine],
    [other, others],
  ] as const) {
    await stage.query(
      `insert into webhook_endpoint (id, merchant_id, environment, url, event_types, secret, created_at, updated_at)
       select id, $1, 'sandbox', 'https://example.com/', '{ping}', '', now(), now() from unnest($2::text[]) id`,
      [owner, ids],
    );
  }
  await stage.query('begin');
  // Referential checks, row by row, would take longer than the rows.
  await stage.query(`set local session_replication_role = 'replica'`);
  await stage.query('set local statement_timeout = 0');
  await stage.query(EVENTS, [rows, merchantId, other]);
  await stage.query(DELIVERIES, [rows, mine, others, merchantId, other, deadPerThousand]);
  await stage.query(ATTEMPTS);
  await stage.query('commit');
  for (const table of ['event', 'delivery', 'delivery_attempt']) await stage.query(`vacuum analyze ${table}`);
  return { merchantId, endpointId: mine[0] ?? '' };
}

/** $1 count, $2 the merchant of every second one, $3 the merchant of the others. */
const EVENTS = `
  insert into event (id, merchant_id, environment, type, resource_id, data, created_at, sequence, body)
  select 'evt_00' || lpad(n::text, 24, '0'), case n % 2 when 0 then $2 else $3 end, 'sandbox',
         'payment_intent.completed', 'pi_' || n, '{}', now() - ($1::int - n) * interval '1 year' / $1::int, n, '{}'
    from generate_series(1, $1::int) n`;

/** $2 and $3 are the endpoints of the merchants $4 and $5; $6 of each thousand are dead letters, of five causes. */
const DELIVERIES = `
  insert into delivery (id, event_id, endpoint_id, merchant_id, environment, event_type, status, attempts, due_at, created_at,
    finished_at, last_response_status, last_error_code)
  select 'dlv_00' || lpad(n::text, 24, '0'), 'evt_00' || lpad(n::text, 24, '0'),
         case n % 2 when 0 then ($2::text[])[greatest(1, h % 30 - 9)] else ($3::text[])[h % 40 + 1] end,
         case n % 2 when 0 then $4 else $5 end, 'sandbox', 'payment_intent.completed', status, 1,
         case status when 'pending' then now() + interval '1 day' else at end, at,
         case when status <> 'pending' then at end,
         case status when 'delivered' then 204 when 'dead_letter' then (array[500, 401, 404, 302])[h % 5 + 1] end,
         case when status = 'dead_letter' and h % 5 = 4 then 'timeout' end
    from (select n, now() - (($1::int - n) * interval '1 year' / $1::int) as at, abs(hashint4(n)::bigint) as h
            from generate_series(1, $1::int) n) numbered
   cross join lateral (
     select case when h / 100 % 1000 < $6::int then 'dead_letter' when h / 100 % 1000 = $6::int then 'pending'
              when h / 100 % 1000 = $6::int + 1 then 'cancelled' else 'delivered' end as status) drawn`;

const ATTEMPTS = `
  insert into delivery_attempt (delivery_id, number, started_at, duration_ms, signed_at, response_status, response_headers,
    response_body)
  select id, 1, created_at, 20, 0, coalesce(last_response_status, 500), '{}', '' from delivery`;

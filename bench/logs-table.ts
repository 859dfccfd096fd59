import { newId } from './compiled.ts';
import type { Stage } from './stage.ts';

const KEYS_OF_MERCHANT = 2;

/**
 * Fills the log of requests with six days, from two API keys of each of these merchants, and the audit log with a year. Of
 * requests nine in ten belong to the first merchant, and one in twenty is an error. Returns a key of the first merchant.
 */
export async function loadLogs(stage: Stage, rows: number, merchantIds: readonly string[]): Promise<string> {
  const keys = merchantIds.flatMap((merchantId) =>
    Array.from({ length: KEYS_OF_MERCHANT }, () => ({ id: newId('key_'), merchantId })),
  );
  await stage.query(ULID);
  await stage.query('begin');
  await stage.query(`set local session_replication_role = 'replica'`);
  await stage.query('set local statement_timeout = 0');
  await stage.query(KEYS, [keys.map(({ id }) => id), keys.map(({ merchantId }) => merchantId)]);
  await stage.query(REQUESTS, [rows, keys.map(({ id }) => id), keys.map(({ merchantId }) => merchantId)]);
  await stage.query(ACTIONS, [rows]);
  await stage.query('commit');
  for (const table of ['api_key', 'api_request', 'audit_entry']) await stage.query(`vacuum analyze ${table}`);
  return keys[0]?.id ?? '';
}

/** The id of row n at a time: pages of requests are read by the time in their ids. */
const ULID = `
  create function pg_temp.ulid(at timestamptz, n int) returns text language sql immutable as $$
    select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', (ms >> 5 * digit & 31)::int + 1, 1), '' order by digit desc)
           || lpad(n::text, 16, '0')
      from (select (extract(epoch from at) * 1000)::bigint as ms) of_time cross join generate_series(0, 9) digit $$`;

const KEYS = `
  insert into api_key (id, merchant_id, environment, key_hash, last4, scopes)
  select id, owner, 'sandbox', md5(id), right(id, 4), '{read}' from unnest($1::text[], $2::text[]) keys (id, owner)`;

/** $1 count, $2 keys, $3 their merchants. */
const REQUESTS = `
  insert into api_request (environment, id, merchant_id, api_key_id, method, route, resource_id, status, error_code,
    replayed, duration_ms, created_at)
  select 'sandbox', 'req_' || pg_temp.ulid(at, n), ($3::text[])[key], ($2::text[])[key],
         case when code is not null and h / 17 % 2 = 0 then (array['GET', 'PATCH', 'DELETE'])[h / 19 % 3 + 1] else 'POST' end,
         (array['/v1/payment-intents', '/v1/payment-intents/:id/generate-address', '/v1/payment-intents/:id/confirm',
                '/v1/withdrawals'])[h / 7 % 4 + 1], 'pi_00' || lpad(n::text, 24, '0'),
         case code when 'no_answer' then null when 'not_found' then 404 when 'invalid_request' then 400
                   when 'invalid_state_transition' then 409 when 'internal_error' then 500 else 201 end,
         code, h % 100 = 7, 12, at
    from (select n, now() - ($1::int - n) * interval '6 days' / $1::int as at, h,
                 case when h % 10 < 9 then 1 + h / 3 % ${KEYS_OF_MERCHANT}
                      else 1 + h / 10 % cardinality($2::text[]) end as key
            from (select n, abs(hashint4(n)::bigint) as h from generate_series(1, $1::int) n) drawn) numbered
   cross join lateral (
     select case when h / 23 % 20 = 0 then
              (array['not_found', 'invalid_request', 'invalid_state_transition', 'internal_error', 'no_answer'])[h / 29 % 5 + 1]
            end as code) chosen
   order by n`;

/** $1 count. One in ten is a command or a sign-in, outside of both environments. */
const ACTIONS = `
  insert into audit_entry (actor, action, subject, reason, details, created_at, environment, role)
  select case when h % 3 = 0 then 'kim@example.com' else 'staff-' || h / 3 % 20 || '@example.com' end,
         case when h / 7 % 500 = 0 then 'endpoint.disable' else 'action.' || h / 7 % 30 end,
         case when h / 11 % 5000 = 0 then 'we_busy' else 'pi_' || n end, 'Asked by the merchant.', '{}',
         now() - ($1::int - n) * interval '1 year' / $1::int, case when h / 13 % 10 > 0 then 'sandbox' end,
         case when h / 13 % 10 > 0 then 'support' end
    from (select n, abs(hashint4(n)::bigint) as h from generate_series(1, $1::int) n) drawn
   order by n`;

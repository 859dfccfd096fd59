import { newId } from './compiled.ts';
import type { Stage } from './stage.ts';

const ENDPOINTS_OF_MERCHANT = 2;
const KEYS_OF_MERCHANT = 3;
const CHART_DAYS = 1_000;

/** The name that one merchant in a thousand has. */
export const COMMON_NAME = 'Corner Shop';

/**
 * Adds merchants with API keys and webhook endpoints in the sandbox: one in ten is verified, one endpoint in twenty disabled.
 * The sums of the hours of almost three years stand in `hourly_stat`. Returns the merchants.
 */
export async function loadMerchants(stage: Stage, count: number): Promise<readonly string[]> {
  const merchantIds = Array.from({ length: count }, () => newId('mer_'));
  await stage.query('begin');
  await stage.query('set local statement_timeout = 0');
  await stage.query(MERCHANTS, [merchantIds]);
  await stage.query(KEYS, [merchantIds]);
  await stage.query(ENDPOINTS, [merchantIds]);
  await stage.query(HOURS);
  await stage.query('commit');
  for (const table of ['merchant', 'api_key', 'webhook_endpoint', 'hourly_stat']) {
    await stage.query(`vacuum analyze ${table}`);
  }
  return merchantIds;
}

/** $1 merchants. */
const MERCHANTS = `
  insert into merchant (id, name, live_verified_at, created_at)
  select id, case when place % 1000 = 1 then '${COMMON_NAME}' else 'Shop ' || place end,
         case when place % 10 = 1 then now() end, now() - place * interval '1 minute'
    from unnest($1::text[]) with ordinality as merchants (id, place)`;

const KEYS = `
  insert into api_key (id, merchant_id, environment, key_hash, last4, scopes, last_used_at)
  select 'key_' || md5(owner || n), owner, 'sandbox', md5(owner || n), '1234', '{read}', now()
    from unnest($1::text[]) owner cross join generate_series(1, ${KEYS_OF_MERCHANT}) n`;

const ENDPOINTS = `
  insert into webhook_endpoint (id, merchant_id, environment, url, event_types, enabled, secret, created_at, updated_at)
  select 'we_00' || lpad(place::text, 24, '0'), owner, 'sandbox', 'https://shop.example/hooks', '{ping}', place % 20 <> 1, '',
         now() - place * interval '1 minute', now()
    from (select owner, (place - 1) * ${ENDPOINTS_OF_MERCHANT} + n as place
            from unnest($1::text[]) with ordinality as merchants (owner, place)
           cross join generate_series(1, ${ENDPOINTS_OF_MERCHANT}) n) places`;

const HOURS = `
  insert into hourly_stat (environment, hour, name, value)
  select environment, hour, name, 1000
    from unnest(array['sandbox', 'live']) environment
   cross join generate_series(date_trunc('hour', now()) - interval '${CHART_DAYS} days',
                              date_trunc('hour', now()) - interval '2 hours', '1 hour') hour
   cross join unnest(array['settled_cents', 'intents_created', 'intents_completed', 'intents_failed', 'intents_expired',
                           'intents_cancelled', 'attempts_delivered', 'attempts_failed']) name
      on conflict do nothing`;

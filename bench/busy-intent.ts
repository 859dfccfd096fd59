import type { Stage } from './stage.ts';

const OF_EACH_KIND = 120;
const ENDPOINTS = 10;

/** Gives an intent more of everything than its timeline shows: calls, deposits, events with attempts, actions and notes. */
export async function makeBusy(stage: Stage, intentId: string): Promise<void> {
  await stage.query('begin');
  await stage.query(`set local session_replication_role = 'replica'`);
  for (const statement of STATEMENTS) await stage.query(statement, [intentId]);
  await stage.query('commit');
}

const id = (prefix: string, mark: string, number: string): string =>
  `'${prefix}_0${mark}' || lpad((${number})::text, 24, '0')`;
const each = `generate_series(1, ${OF_EACH_KIND}) n`;

/** $1 the intent. */
const STATEMENTS = [
  `insert into api_request (environment, id, merchant_id, api_key_id, method, route, resource_id, status, error_code,
     replayed, duration_ms, created_at)
   select 'sandbox', 'req_' || pg_temp.ulid(now() - n * interval '1 minute', n), merchant_id, 'key_bench', 'POST',
          '/v1/payment-intents/:id/confirm', intent.id, 409, 'invalid_state_transition', false, 9, now() - n * interval '1 minute'
     from payment_intent intent cross join ${each} where intent.id = $1`,
  `insert into deposit (id, chain_ref, token_contract, tx_hash, position, from_address, to_address, amount, block_height,
     block_hash, block_time, status, confirmed_at, address_id, intent_id, merchant_id, late, credited_at)
   select ${id('dep', '2', 'n')}, chain_ref, token_contract, '0xbusy' || lpad(n::text, 60, '0'), 0, '0xfrom', '0xto', 10000, 1,
          '0x' || repeat('00', 32), now(), 'confirmed', now(), pool_address.id, intent.id, merchant_id, false, now()
     from payment_intent intent join pool_address on pool_address.intent_id = intent.id cross join ${each}
    where intent.id = $1`,
  `insert into event (id, merchant_id, environment, type, resource_id, data, sequence, body)
   select ${id('evt', '2', 'n')}, merchant_id, 'sandbox', 'payment_intent.processing', id, '{}', 1000000000 + n, '{}'
     from payment_intent cross join ${each} where id = $1`,
  `insert into delivery (id, event_id, endpoint_id, merchant_id, environment, event_type, status, attempts, finished_at,
     last_response_status)
   select ${id('dlv', '2', `n * ${ENDPOINTS} + place`)}, ${id('evt', '2', 'n')}, endpoint.id, intent.merchant_id, 'sandbox',
          'payment_intent.processing', 'delivered', 2, now(), 204
     from payment_intent intent cross join ${each}
    cross join (select id, row_number() over (order by id) as place from webhook_endpoint limit ${ENDPOINTS}) endpoint
    where intent.id = $1`,
  `insert into delivery_attempt (delivery_id, number, started_at, duration_ms, signed_at, response_status)
   select delivery.id, number, now(), 20, 0, case number when 1 then 500 else 204 end
     from event join delivery on delivery.event_id = event.id cross join generate_series(1, 2) number
    where event.resource_id = $1`,
  `insert into audit_entry (actor, action, subject, details, environment, role)
   select 'kim@example.com', 'intent.retry', id, '{}', 'sandbox', 'support'
     from payment_intent cross join ${each} where id = $1`,
  `insert into note (id, environment, subject_kind, subject_id, author, body)
   select ${id('note', '2', 'n')}, 'sandbox', 'payment_intent', id, 'kim@example.com', 'Asked the payer.'
     from payment_intent cross join ${each} where id = $1`,
];

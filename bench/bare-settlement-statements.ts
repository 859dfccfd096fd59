/**
 * The statements of the service for a final deposit that completes its intent, word for word (`same-settlement.ts` compares
 * them in PostgreSQL's log). Each runs as a named prepared statement, as in the service.
 */
const text = (name: string, sql: string): { readonly name: string; readonly text: string } => ({ name, text: sql });

export const LOCK = text(
  'lock',
  `select payment_intent.*, clock_timestamp() as db_now from payment_intent
    where id = $1 for no key update`,
);

export const UNMARK = text('unmark', `delete from dirty_intent where intent_id = $1`);

export const PROGRESS = text(
  'progress',
  `select chain.chain_id, chain.confirmations, chain.active, chain.quiet_grace_ms, cursor.head_height, cursor.block_time,
          cursor.synced_at, cursor.finality_doubt is not null as is_doubted
     from chain join chain_cursor cursor on cursor.chain_ref = chain.id where chain.id = $1`,
);

export const DEPOSITS = text(
  'deposits',
  `select deposit.*, case when deposit.listed_sender_id is not null and deposit.reversed_at is not null
      and deposit.restored_at is null
    then exists (select from entry where entry.reference = 'release:' || deposit.id) end as was_released_before_reversal
     from deposit where intent_id = any($1)`,
);

export const COMPLETE = text(
  'complete',
  `update payment_intent
      set status = $2, failure_code = $3, received_crypto_amount = $4, received_amount_cents = $5,
          overpaid_amount_cents = $6, accepted_shortfall_cents = $7,
          completed_at = case when $2 = 'completed' then now() end,
          updated_at = case when $8 then now() else updated_at end,
          due_at = case when $12 then null
                        when $9 then now() + greatest(least((now() - expires_at) / 10, make_interval(secs => $11)),
                          make_interval(secs => $10)) else due_at end
    where id = $1 returning *`,
);

export const TOKEN = text(
  'token',
  `select minor_unit_exponent from chain_token where chain_ref = $1 and contract = $2`,
);

export const POCKET = text(
  'pocket',
  `select available_account_id from pocket
    where merchant_id = $1 and environment = $2 and network = $3 and token_contract = $4`,
);

export const OPEN_OWN_ACCOUNT = text(
  'open_own_account',
  `insert into account (kind, environment, asset, balance)
   select $1, $2, $3, $4::numeric
    where not exists (select from account where kind = $1 and environment = $2 and asset = $3 and merchant_id is null)
   on conflict do nothing`,
);

export const OWN_ACCOUNT = text(
  'own_account',
  `select id from account where kind = $1 and environment = $2 and asset = $3 and merchant_id is null`,
);

export const ENTRY = text(
  'entry',
  `insert into entry (id, reference, kind, content_hash)
   select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])
   on conflict (reference) do nothing returning id`,
);

export const POSTINGS = text(
  'postings',
  `insert into posting (entry_id, account_id, asset, environment, amount)
   select leg.entry_id, leg.account_id, leg.asset, leg.environment, leg.amount
     from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::numeric[])
       with ordinality as leg (entry_id, account_id, asset, environment, amount, nth)
    order by nth`,
);

export const CREDIT = text(
  'credit',
  `update deposit set late = fact.late, credited_at = case when fact.credited then now() else credited_at end,
     held_as = case when fact.credited and deposit.listed_sender_id is not null then 'frozen' else deposit.held_as end
     from unnest($1::text[], $2::boolean[], $3::boolean[]) as fact (id, late, credited)
    where deposit.id = fact.id and (deposit.late is distinct from fact.late or fact.credited)`,
);

export const EVENT = text(
  'event',
  `insert into event (id, merchant_id, environment, type, resource_id, data, traceparent)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);

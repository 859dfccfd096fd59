import { newId } from './compiled.ts';
import type { Stage } from './stage.ts';

const OTHERS = 99;

export interface IntentsTable {
  readonly rows: number;
  /** Owns 90 % of the intents. */
  readonly big: string;
  /** Owns a thousand of them. */
  readonly small: string;
}

/**
 * Fills the table with intents of a year: mostly completed ones with their address and deposit. One in 200 failed, one in
 * 29 expired, one in 300 was paid too much, three in 100 are on bnb; none of this depends on the place in the list. Returns
 * the merchants, the big one first.
 */
export async function loadIntents(stage: Stage, { rows, big, small }: IntentsTable): Promise<readonly string[]> {
  const others = Array.from({ length: OTHERS }, () => newId('mer_'));
  const merchants = [big, small, ...others];
  await stage.query(`insert into merchant (id, name) select id, 'bench' from unnest($1::text[]) id`, [merchants]);
  await stage.query('begin');
  // Referential checks, row by row, would take longer than the rows.
  await stage.query(`set local session_replication_role = 'replica'`);
  await stage.query('set local statement_timeout = 0');
  await stage.query(INTENTS, [rows, small, big, others]);
  await stage.query(ADDRESSES, [merchants]);
  await stage.query(DEPOSITS, [merchants]);
  await stage.query('commit');
  await stage.query('vacuum analyze pool_address');
  await stage.query('vacuum analyze payment_intent');
  await stage.query('vacuum analyze deposit');
  return merchants;
}

/** $1 count, $2 small, $3 big, $4 the others. */
const INTENTS = `
  insert into payment_intent (id, merchant_id, environment, status, failure_code, amount_cents, currency,
    settlement_currency, network, token, reference, metadata, chain_ref, token_contract, token_decimals, price_round_id,
    token_price, token_price_cents, crypto_amount, address, received_crypto_amount, received_amount_cents,
    overpaid_amount_cents, created_at, updated_at, expires_at, completed_at, due_at)
  select 'pi_00' || lpad(n::text, 24, '0'),
         case n % ($1::int / 1000) when 0 then $2 else coalesce(($4::text[])[n % 1000], $3) end,
         'sandbox', status, case status when 'failed' then 'underpaid' end, 2500, 'USD', 'USDC', network, 'USDC',
         'order-' || n, '{"customer":"cus_8127","cart":"spring-sale","items":3}', chain.id, '0x' || repeat('ab', 20), 6,
         round.id, '1', 100, 25000000, '0xf' || lpad(to_hex(n), 39, '0'),
         case status when 'completed' then 25000000 else 0 end, case status when 'completed' then 2500 else 0 end,
         case when status = 'completed' and h % 300 = 0 then 100 else 0 end, at, at, at + interval '1 hour', case status when 'completed' then at end, at
    from (select n, now() - (($1::int - n) * interval '1 year' / $1::int) as at, abs(hashint4(n)::bigint) as h
            from generate_series(1, $1::int) n) numbered
   cross join lateral (
     select case when h % 100 < 80 then 'polygon' when h % 100 < 97 then 'ethereum' else 'bnb' end as network,
            case when h / 100 % 1000 < 5 then 'failed' when h / 100 % 1000 < 40 then 'expired' else 'completed' end as status
   ) drawn
   cross join (select id from chain limit 1) chain
   cross join (select id from price_round limit 1) round`;

/** Above the indexes that the vault derives meanwhile. */
const FIRST_INDEX = 10_000_000;

/** The addresses of the intents of the merchants $1. */
const ADDRESSES = `
  insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key, intent_id,
    assigned_at)
  select 'sandbox', 'evm', place, 'm/44''/60''/0''/0/' || place, address, address, id, now()
    from (select address, id, ${FIRST_INDEX} + row_number() over (order by id) as place
            from payment_intent where merchant_id = any($1::text[])) numbered`;

/** One deposit for each completed intent of the merchants $1. */
const DEPOSITS = `
  insert into deposit (id, chain_ref, token_contract, tx_hash, position, from_address, to_address, amount, block_height,
    block_hash, block_time, status, confirmed_at, address_id, intent_id, merchant_id, late, credited_at)
  select 'dep_' || substr(id, 4), chain_ref, token_contract, '0x' || lpad(substr(id, 4), 64, '0'), 0, address, address,
         crypto_amount, 1, '0x' || repeat('00', 32), created_at, 'confirmed', created_at, row_number() over (), id, merchant_id,
         false, created_at
    from payment_intent where merchant_id = any($1::text[]) and status = 'completed'`;

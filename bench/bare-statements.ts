/**
 * Statements of the bare server alone: the reads that it caches, and one for each step of a create or generate-address in a
 * transaction. Each runs as a named prepared statement.
 */
const text = (name: string, sql: string): { readonly name: string; readonly text: string } => ({ name, text: sql });

export const CALLER = text(
  'caller',
  `select id, merchant_id, environment, scopes from api_key where key_hash = $1 and revoked_at is null`,
);

export const INSERT_INTENT = text(
  'insert_intent',
  `insert into payment_intent (id, merchant_id, environment, status, amount_cents, currency, settlement_currency,
     network, token, reference, metadata, tolerance_bps, created_at, updated_at, expires_at, due_at,
     api_key_id, request_id)
   select $1, merchant.id, $3, 'requires_action', $4, $5, $6, $7, $8, $9, $10, merchant.underpayment_tolerance_bps,
          now(), now(), now() + make_interval(secs => $11), now() + make_interval(secs => $11), 'key_bare', 'req_bare'
     from merchant where merchant.id = $2
   returning *`,
);

export const LOCK_INTENT = text(
  'lock_intent',
  `select *, clock_timestamp() >= expires_at as is_due from payment_intent
    where id = $1 and merchant_id = $2 and environment = $3 for no key update`,
);

export const COUNT_OPEN = text(
  'count_open',
  `select count(*) as open from (
     select from payment_intent
      where merchant_id = $1 and environment = $2 and address is not null
        and status in ('created', 'requires_action', 'processing') limit $3) as counted`,
);

export const ASSIGN_ADDRESS = text(
  'assign_address',
  `update pool_address set intent_id = $3, assigned_at = now()
    where id = (select id from pool_address
                 where environment = $1 and family = $2 and intent_id is null and retired_at is null
                   and (family <> 'evm' or address_key = lower(address collate "C"))
                 order by created_at for update skip locked limit 1)
    returning address, derivation_index`,
);

export const LOCK_QUOTE = text(
  'lock_quote',
  `update payment_intent
      set chain_ref = $2, token_contract = $3, token_decimals = $4, price_round_id = $5, token_price = $6,
          token_price_cents = $7, crypto_amount = $8, address = $9, updated_at = now()
    where id = $1 returning *`,
);

export const CHAIN = text(
  'chain',
  `select chain.id as chain_ref, token.contract, token.decimals
     from chain join chain_token token on token.chain_ref = chain.id
    where chain.active and chain.environment = $1 and chain.network = $2 and token.symbol = 'USDC'`,
);

export const PRICE_ROUND = text(
  'price_round',
  `select id, prices from price_round where environment = $1 order by created_at desc limit 1`,
);

import { NATIVE_COIN } from '../domain/network.js';

/**
 * For each token of each active chain with a hot wallet that may sign, the $1 largest balances that can be swept.
 *
 * Only addresses whose intent has ended, or that never had one: an address that delegates refuses transfers that bring
 * 21,000 gas and not one more, as some exchanges send them.
 *
 * The balances come from an index in this very order; addresses and intents are looked up one by one for those alone. A
 * plain join the planner may begin with all addresses.
 */
export const CANDIDATES_STATEMENT = `
  select chain.id as chain_ref, chain.environment, chain.network, token.contract as token, token.symbol, token.decimals,
         coin.symbol as coin_symbol, candidate.address_id, candidate.address_key, candidate.units,
         candidate.is_delegated
    from chain
    join hot_wallet wallet on wallet.chain_ref = chain.id and wallet.frozen_reason is null
    join chain_token token on token.chain_ref = chain.id and token.enabled
    left join chain_token coin on coin.chain_ref = chain.id and coin.contract = '${NATIVE_COIN}'
   cross join lateral (
     select balance.address_id, address.address_key, balance.received - balance.swept as units,
            delegation.delegate is not null as is_delegated
       from deposit_balance balance
      cross join lateral (
        select address_key, intent_id from pool_address where id = balance.address_id limit 1) address
       left join lateral (select status from payment_intent where id = address.intent_id limit 1) intent on true
       left join lateral (
         select delegate from delegation
          where chain_ref = balance.chain_ref and address_id = balance.address_id limit 1) delegation on true
      where balance.chain_ref = chain.id and balance.token_contract = token.contract
        and balance.received > balance.swept and balance.sweep_id is null and balance.set_aside_reason is null
        and (balance.retry_at is null or balance.retry_at <= now())
        and (address.intent_id is null or intent.status in ('completed', 'failed', 'cancelled', 'expired'))
      order by balance.received - balance.swept desc limit $1) candidate
   where chain.active and chain.family = 'evm'`;

/** What waiting withdrawals found missing, by chain and token, with what sweeps under way are to bring. */
export const NEEDS_STATEMENT = `
  select waiting.chain_ref, waiting.token_contract as token, waiting.amount,
         coalesce((select sum(expected) from sweep_item item
                    where item.chain_ref = waiting.chain_ref and item.token_contract = waiting.token_contract
                      and item.swept is null), 0) as under_way
    from (select chain_ref, token_contract, sum(amount) as amount from withdrawal
           where status = 'broadcasting' and signed_at is null and waiting_reason = 'coins_missing'
           group by chain_ref, token_contract) waiting`;

import { NATIVE_COIN } from '../../domain/network.js';

/**
 * Hot wallets whose balance, nonce or balance snapshot is missing or older than the newest final block, with that block
 * and the tokens to read. A snapshot that waits for its comparison is not read again. A halted chain has no new final
 * blocks, so its balances stay as they are.
 */
export const STALE_WALLETS_STATEMENT = `
  select wallet.chain_ref, wallet.address_key, wallet.chain_nonce is not null as is_counted,
         cursor.finalized_height as height, block.hash, token.contracts as tokens
    from hot_wallet wallet
    join chain on chain.id = wallet.chain_ref and chain.active
    join chain_cursor cursor on cursor.chain_ref = wallet.chain_ref
    left join chain_block block on block.chain_ref = wallet.chain_ref and block.height = cursor.finalized_height
   cross join lateral (
     select array(select contract from chain_token
                   where chain_ref = wallet.chain_ref and enabled and contract <> '${NATIVE_COIN}'
                   order by contract) as contracts) token
   where wallet.chain_nonce is null or exists (
     select from unnest(array_append(token.contracts, '${NATIVE_COIN}')) as wanted (contract)
      where not exists (select from hot_balance
                         where chain_ref = wallet.chain_ref and token_contract = wanted.contract
                           and height >= cursor.finalized_height)
         or not exists (select from stocktaking
                         where chain_ref = wallet.chain_ref and token_contract = wanted.contract
                           and (height >= cursor.finalized_height or booked_height is distinct from height)))`;

/**
 * The amount of the token $2 that the hot wallet of the chain $1 may promise; no row without a balance.
 *
 * The balance of the final block `height` includes the transactions mined up to it. All others are subtracted: open
 * ones with the highest cost of any attempt, and those that became final above `height` with their real cost (a loss
 * with every token that it took, a reverted one with its gas alone). A transaction mined below `height` and not yet
 * marked final is subtracted twice for a moment, which errs on the safe side. Null when the cost of a transaction is
 * unknown.
 */
export const SPENDABLE_STATEMENT = `
  with promise as (
    select case when $2 = '${NATIVE_COIN}' then transaction.value + transaction.gas_limit * attempt.max_fee_per_gas
                when transaction.token_contract = $2 then transaction.amount else 0 end as units
      from hot_wallet wallet
      join chain_transaction transaction
        on transaction.chain_ref = wallet.chain_ref and lower(transaction.sender) = wallet.address_key
     cross join lateral (select max(max_fee_per_gas) as max_fee_per_gas from transaction_attempt
                          where transaction_id = transaction.id) attempt
     where wallet.chain_ref = $1 and transaction.status = 'signed'
    union all
    select case when $2 = '${NATIVE_COIN}'
                  then transaction.fee_paid + case transaction.status when 'succeeded' then transaction.value else 0 end
                when transaction.token_contract = $2 and transaction.status = 'succeeded'
                  then transaction.amount else 0 end
      from hot_balance balance
      join hot_wallet wallet on wallet.chain_ref = balance.chain_ref
      join chain_transaction transaction
        on transaction.chain_ref = balance.chain_ref and lower(transaction.sender) = wallet.address_key
     where balance.chain_ref = $1 and balance.token_contract = $2
       and transaction.status <> 'signed' and transaction.mined_height > balance.height
    union all
    select item.amount
      from hot_balance balance
      join loss_item item on item.chain_ref = balance.chain_ref and item.height > balance.height
     where balance.chain_ref = $1 and balance.token_contract = $2 and lower(item.token_contract) = lower($2)
  )
  select case when (select count(*) = count(units) from promise)
              then amount - (select coalesce(sum(units), 0) from promise) end as units
    from hot_balance where chain_ref = $1 and token_contract = $2`;

import { NATIVE_COIN } from '../../domain/network.js';

/** A snapshot that could not be compared for this long is replaced: its node may have been wrong. */
const REPLACED_AFTER = `interval '5 minutes'`;

/**
 * Records a snapshot of the hot wallet of the chain $1 at the final block of height $2 and hash $3: the nonce $4, and
 * the amounts $6 of the tokens $5. A snapshot that waits for its comparison stays, otherwise a busy wallet would never
 * be compared.
 */
export const RECORD_SNAPSHOT_STATEMENT = `
  insert into stocktaking as known (chain_ref, token_contract, height, block_hash, nonce, amount)
  select $1, contract, $2, $3, $4, amount from unnest($5::text[], $6::numeric[]) as held (contract, amount)
  on conflict (chain_ref, token_contract) do update
    set height = excluded.height, block_hash = excluded.block_hash, nonce = excluded.nonce, amount = excluded.amount,
        taken_at = now()
  where excluded.height > known.height
    and (known.booked_height = known.height or known.taken_at < now() - ${REPLACED_AFTER})`;

/** Hot wallets with snapshots that wait for their comparison, unless the finality of their chain is in doubt. */
export const UNCOMPARED_STATEMENT = `
  select distinct wallet.chain_ref, wallet.address_key
    from stocktaking stock
    join hot_wallet wallet on wallet.chain_ref = stock.chain_ref
    join chain on chain.id = stock.chain_ref and chain.active
    join chain_cursor cursor on cursor.chain_ref = stock.chain_ref
   where stock.height > coalesce(stock.booked_height, -1)
     and coalesce(cursor.halted_reason, cursor.finality_doubt) is null`;

/**
 * The snapshots of the chain $1 that can be compared now, each with the balance of the books at that block: the
 * previous result, plus sweeps, less payments and gas since then. A snapshot is ready once every transaction that the
 * chain counted is recorded as ended; an open one leaves its nonce out of the count.
 */
export const COMPARABLE_STATEMENT = `
  select stock.token_contract, stock.height, stock.block_hash, stock.nonce, stock.amount, since.height as from_height,
         known.units + brought.units - spent.units - losses.units as books
    from stocktaking stock
    join hot_wallet wallet on wallet.chain_ref = stock.chain_ref
   cross join lateral (select coalesce(stock.booked_height, -1) as height) since
   cross join lateral (
     select case when stock.booked_height is not null then stock.booked
                 else (select coalesce(sum(amount), 0) from top_up
                        where chain_ref = stock.chain_ref and token_contract = stock.token_contract) end as units) known
   cross join lateral (
     select coalesce(sum(item.swept), 0) as units from sweep_item item
      where item.chain_ref = stock.chain_ref and lower(item.token_contract) = lower(stock.token_contract)
        and item.swept_height > since.height and item.swept_height <= stock.height) brought
   cross join lateral (
     select count(*) as times,
            coalesce(sum(case when stock.token_contract = '${NATIVE_COIN}' then sent.fee_paid else 0 end
              + case when sent.status = 'succeeded' and lower(sent.token_contract) = lower(stock.token_contract)
                     then sent.amount else 0 end), 0) as units
       from chain_transaction sent
      where sent.chain_ref = stock.chain_ref and lower(sent.sender) = wallet.address_key
        and sent.mined_height > since.height and sent.mined_height <= stock.height) spent
   cross join lateral (
     select coalesce(sum(item.amount), 0) as units from loss_item item
      where item.chain_ref = stock.chain_ref and lower(item.token_contract) = lower(stock.token_contract)
        and item.height > since.height and item.height <= stock.height) losses
   where stock.chain_ref = $1 and stock.height > since.height
     and stock.nonce = coalesce(stock.booked_nonce, 0) + spent.times
   order by stock.token_contract`;

/**
 * Each token of a hot wallet: whether some of it is missing (null: never compared), and for how many seconds it was not
 * compared although newer final blocks exist. Idle chains have none.
 */
export const COMPARED_STATEMENT = `
  select stock.chain_ref, chain.environment || '/' || chain.network as place, token.symbol,
         case when stock.booked_height is not null then stock.missing > 0 end as is_short,
         case when stock.booked_height >= cursor.finalized_height then 0
              else extract(epoch from now() - coalesce(stock.compared_at, wallet.created_at)) end as age
    from stocktaking stock join chain on chain.id = stock.chain_ref and chain.active
    join chain_cursor cursor on cursor.chain_ref = stock.chain_ref
    join hot_wallet wallet on wallet.chain_ref = stock.chain_ref
    join chain_token token on token.chain_ref = stock.chain_ref and token.contract = stock.token_contract
   where token.enabled or token.contract = '${NATIVE_COIN}'
   order by age desc, place, token.symbol`;

import { NATIVE_COIN } from '../../domain/network.js';
import { TERMINAL_STATUSES } from '../../domain/intent-state.js';
import { textList } from '../../platform/database/text-list.js';
import { UNSIGNED_PAYMENTS } from '../transactions/payment-tables.sql.js';

/**
 * SQL: whether `balance` must not be swept because some of its funds are of a sender on the sanctions list: frozen, or
 * of a deposit that would be frozen if it became final now. A sweep takes the whole balance, so clean funds wait beside
 * them until an operator has released the rest.
 *
 * `offset 0` makes the planner look deposits up by their address alone; otherwise it may scan all deposits that are not
 * final for each balance.
 */
export const IS_FROZEN = `
  (exists (select from deposit
            where deposit.address_id = balance.address_id and deposit.chain_ref = balance.chain_ref
              and deposit.token_contract = balance.token_contract and deposit.listed_sender_id is not null
              and (deposit.held_as in ('frozen', 'kept') or deposit.credited_at is null))
   or exists (select from (select status, chain_ref, from_address from deposit
                            where deposit.address_id = balance.address_id and deposit.chain_ref = balance.chain_ref
                              and deposit.token_contract = balance.token_contract offset 0) paid
               where paid.status = 'seen' and listed_sender_of(paid.chain_ref, paid.from_address) is not null))`;

/** SQL: balances of one token of one chain that can be swept, by their own columns. The largest come from an index. */
const SWEEPABLE = `balance.chain_ref = chain.id and balance.token_contract = token.contract
        and balance.received > balance.swept and balance.sweep_id is null and balance.set_aside_reason is null
        and (balance.retry_at is null or balance.retry_at <= now())`;

/**
 * SQL: for each token (`token`) of each active chain with a hot wallet that may sign, the $1 largest balances
 * (`balance`, of `balances`) whose intent allows it. Excluded are frozen funds, and addresses that are not the vault's,
 * for which it cannot sign.
 *
 * The balances come from an index in this very order; addresses and intents are looked up one by one for those alone.
 * With a plain join the planner may start from all addresses.
 */
const candidates = (balances: string, { tokens = 'true', intents }: { tokens?: string; intents: string }): string => `
  select chain.id as chain_ref, chain.environment, chain.network, token.contract as token, token.symbol, token.decimals,
         coin.symbol as coin_symbol, candidate.address_id, candidate.address_key, candidate.units,
         candidate.is_delegated
    from chain
    join hot_wallet wallet on wallet.chain_ref = chain.id and wallet.frozen_reason is null
    join chain_token token on token.chain_ref = chain.id and token.enabled and ${tokens}
    left join chain_token coin on coin.chain_ref = chain.id and coin.contract = '${NATIVE_COIN}'
   cross join lateral (
     select balance.address_id, address.address_key, balance.received - balance.swept as units,
            delegation.delegate is not null as is_delegated
       from ${balances} balance
      cross join lateral (
        select address_key, intent_id from pool_address where id = balance.address_id limit 1) address
       left join lateral (
         select status, token_contract from payment_intent where id = address.intent_id limit 1) intent on true
       left join lateral (
         select delegate from delegation
          where chain_ref = balance.chain_ref and address_id = balance.address_id limit 1) delegation on true
      where ${SWEEPABLE} and not ${IS_FROZEN}
        and not exists (select from disproved_address where address_id = balance.address_id)
        and ${intents}
      order by balance.received - balance.swept desc limit $1) candidate
   where chain.active and chain.family = 'evm'`;

/**
 * Balances of addresses whose intent has ended, or that never had one: an address that delegates refuses coin transfers
 * with exactly 21,000 gas, as some exchanges send them.
 */
export const CANDIDATES_STATEMENT = candidates('deposit_balance', {
  intents: `(address.intent_id is null or intent.status in ${textList(TERMINAL_STATUSES)})`,
});

/** Number of the largest balances to examine for open intents: most belong to ended ones. */
const EXAMINED_MAX = 1_000;

/**
 * Balances of addresses whose intent is still to be paid in tokens, which a delegation does not hinder, for the tokens
 * $3 of the chains $2. They are final and in a pocket already. Without them a merchant who withdraws a partial payment
 * would have to wait until the intent ends.
 */
export const OPEN_CANDIDATES_STATEMENT = candidates(
  `(select balance.* from deposit_balance balance
         where ${SWEEPABLE} order by balance.received - balance.swept desc limit ${EXAMINED_MAX})`,
  {
    tokens: `(chain.id, token.contract) in (select * from unnest($2::text[], $3::text[]))`,
    intents: `intent.status in ('requires_action', 'processing') and intent.token_contract <> '${NATIVE_COIN}'`,
  },
);

/**
 * SQL: the funds that waiting payments miss, by chain and token, with the balance of the hot wallet and the part that
 * it has promised.
 */
const MISSING_FUNDS = `
    (select chain_ref, token_contract, sum(amount) as amount, count(*)::int as count
       from ${UNSIGNED_PAYMENTS} payment where waiting_reason = 'coins_missing'
      group by chain_ref, token_contract) waiting
    join hot_wallet wallet on wallet.chain_ref = waiting.chain_ref
    join hot_balance balance
      on balance.chain_ref = waiting.chain_ref and balance.token_contract = waiting.token_contract
   cross join lateral (
     select coalesce(sum(case when waiting.token_contract = '${NATIVE_COIN}' then paid.value + coalesce(paid.fee_paid, 0)
                              when paid.token_contract = waiting.token_contract then paid.amount else 0 end), 0) as units
       from (select value, token_contract, amount, fee_paid from chain_transaction
              where chain_ref = waiting.chain_ref and status = 'signed'
             union all
             select case status when 'succeeded' then value else 0 end, token_contract,
                    case status when 'succeeded' then amount else 0 end, fee_paid
               from chain_transaction
              where chain_ref = waiting.chain_ref and status <> 'signed' and mined_height > balance.height) paid) promised
   cross join lateral (
     select coalesce(sum(item.swept), 0) as units
       from chain_transaction ended join sweep_item item
         on item.sweep_id = ended.purpose_id and item.token_contract = waiting.token_contract and item.swept > 0
      where ended.chain_ref = waiting.chain_ref and ended.purpose = 'sweep' and ended.status = 'succeeded'
        and ended.mined_height > balance.height) arrived`;

/**
 * The funds that waiting withdrawals and refunds miss, by chain and token: the requested amount, the balance of the hot
 * wallet, and the amount that open sweeps bring. One statement reads all of it, or a sweep that ends in between would
 * count twice or not at all.
 *
 * Gas promised to open transactions is not subtracted: most of it comes back, and it must not cause a need. A sweep
 * counts while it is signed or younger than $1 (an interval), and its funds until they are part of the balance that was
 * read. There is no need without such a balance, or while a sweep for the same one is open.
 */
export const NEEDS_STATEMENT = `
  select waiting.chain_ref, waiting.token_contract as token, waiting.amount, waiting.count,
         balance.amount - promised.units as held, coming.units + arrived.units as under_way
    from ${MISSING_FUNDS}
   cross join lateral (
     select coalesce(sum(item.expected), 0) as units
       from sweep join sweep_item item on item.sweep_id = sweep.id and item.token_contract = waiting.token_contract
      where sweep.chain_ref = waiting.chain_ref and sweep.finished_at is null
        and (sweep.signed_at is not null or sweep.created_at > now() - $1::interval)) coming
   where not exists (
     select from sweep join sweep_item item on item.sweep_id = sweep.id
      where sweep.chain_ref = waiting.chain_ref and sweep.finished_at is null and sweep.reason = 'withdrawal'
        and item.token_contract = waiting.token_contract)`;

/**
 * Whether withdrawals wait for every token that the sweep $1 brings, beyond the balance of the hot wallet and the
 * amounts of other signed sweeps. In the coin the amount may suffice while its gas does not (`gasReserve`): the vault's
 * last decision holds while no coins are coming.
 */
export const IS_NEEDED_STATEMENT = `
  select not exists (
    select from (select distinct chain_ref, token_contract from sweep_item where sweep_id = $1) brought
     where not exists (
       select from ${MISSING_FUNDS}
        cross join lateral (
          select coalesce(sum(item.expected), 0) as units
            from sweep join sweep_item item on item.sweep_id = sweep.id and item.token_contract = waiting.token_contract
           where sweep.chain_ref = waiting.chain_ref and sweep.id <> $1 and sweep.finished_at is null
             and sweep.signed_at is not null) coming
        where waiting.chain_ref = brought.chain_ref and waiting.token_contract = brought.token_contract
          and (waiting.amount > balance.amount - promised.units + coming.units + arrived.units
               or (waiting.token_contract = '${NATIVE_COIN}' and coming.units + arrived.units = 0)))) as is_needed`;

/** Number of the last sweeps of the chain $1 that were reverted as a whole, in a row. */
export const REVERTED_STATEMENT = `
  select count(*)::int as count from chain_transaction
   where chain_ref = $1 and purpose = 'sweep' and status = 'reverted'
     and mined_height > coalesce((select max(mined_height) from chain_transaction
                                   where chain_ref = $1 and purpose = 'sweep' and status = 'succeeded'), -1)`;

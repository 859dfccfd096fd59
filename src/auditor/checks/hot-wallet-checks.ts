import { bookedExactly, systemAccount } from './booked-exactly.js';
import { statementCheck } from '../check.js';

const ASSET = `chain.network || ':' || lower(top_up.token_contract)`;

const TOP_UP_LEGS = `
  select 'top_up ' || top_up.id as fact, 'top_up:' || top_up.id as reference, 'top_up' as kind, leg.account_id, leg.amount
    from top_up join chain on chain.id = top_up.chain_ref
   cross join lateral (values
     (${systemAccount('chain', 'chain.environment', ASSET)}, -top_up.amount),
     (${systemAccount('capital', 'chain.environment', ASSET)}, top_up.amount)) as leg (account_id, amount)`;

const DISCREPANCY_ASSET = `chain.network || ':' || lower(shortage.token_contract)`;

const DISCREPANCY_LEGS = `
  select 'shortage ' || shortage.id as fact, 'shortage:' || shortage.id as reference, 'shortage' as kind, leg.account_id,
         leg.amount
    from shortage join chain on chain.id = shortage.chain_ref
    join audit_entry decision on decision.subject = shortage.id and decision.action = 'treasury.write_off'
   cross join lateral (values
     (${systemAccount('chain', 'chain.environment', DISCREPANCY_ASSET)}, shortage.amount),
     (${systemAccount('receivable', 'chain.environment', DISCREPANCY_ASSET)}, -shortage.amount)) as leg (account_id, amount)`;

/** The rule that a hot wallet holds the funds of the books. A breach concerns its chain alone. */
export const FUNDS_ARE_PRESENT = 'hot_wallets_lack_nothing';

/** SQL: the movements of hot wallets and their booked discrepancies, without top-ups, each with its block. */
const MOVES = `
  select chain_ref, lower(token_contract) as token, swept as units, swept_height as height
    from sweep_item where swept > 0
   union all
  select chain_ref, lower(token_contract), -amount, mined_height
    from chain_transaction where status = 'succeeded' and amount > 0
   union all
  select chain_ref, lower(token_contract), -amount, height from loss_item
   union all
  select chain_ref, 'native', -fee_paid, mined_height from chain_transaction where fee_paid > 0
   union all
  select chain_ref, lower(token_contract), -amount, height from shortage`;

const ADDED_UP = `
  select 'stocktaking ' || chain_ref || '/' || token_contract as row,
         format('has %s in the books at block %s after %s transactions; the rows behind it make %s after %s', booked,
                booked_height, booked_nonce, coalesce(topped.units, 0) + coalesce(moved.units, 0),
                coalesce(sent.times, 0)) as says,
         abs(booked - coalesce(topped.units, 0) - coalesce(moved.units, 0))
           + abs(booked_nonce - coalesce(sent.times, 0)) as gap
    from stocktaking
    left join (select chain_ref, token_contract, sum(amount) as units from top_up
                group by chain_ref, token_contract) topped using (chain_ref, token_contract)
    left join (select stock.chain_ref, stock.token_contract, sum(move.units) as units
                 from stocktaking stock join (${MOVES}) move
                   on move.chain_ref = stock.chain_ref and move.token = lower(stock.token_contract)
                where move.height <= stock.booked_height
                group by stock.chain_ref, stock.token_contract) moved using (chain_ref, token_contract)
    left join (select stock.chain_ref, stock.token_contract, count(*) as times
                 from stocktaking stock join chain_transaction ended on ended.chain_ref = stock.chain_ref
                where ended.mined_height <= stock.booked_height
                group by stock.chain_ref, stock.token_contract) sent using (chain_ref, token_contract)
   where booked_height is not null
     and (booked <> coalesce(topped.units, 0) + coalesce(moved.units, 0) or booked_nonce <> coalesce(sent.times, 0))
   order by chain_ref, token_contract`;

/**
 * Our funds by place: on deposit addresses by their stored sums, less deposits that are not in the ledger; in hot wallets by
 * the last comparison and the movements since.
 */
const PARTS = `
  select balance.chain_ref, lower(balance.token_contract) as token, balance.received - balance.swept as units
    from deposit_balance balance
   union all
  select chain_ref, lower(token_contract), -amount from deposit
   where status = 'confirmed' and (credited_at is null or (reversed_at is not null and restored_at is null))
   union all
  select chain_ref, lower(token_contract), booked from stocktaking where booked is not null
   union all
  select move.chain_ref, move.token, move.units from (${MOVES}) move
    left join stocktaking stock on stock.chain_ref = move.chain_ref and lower(stock.token_contract) = move.token
   where move.height > coalesce(stock.booked_height, -1)`;

const CHAIN_ACCOUNTS = `
  select 'account ' || account.id as row,
         format('owes %s of %s, and %s lies on deposit addresses and in hot wallets', -coalesce(posted.units, 0),
                account.asset, coalesce(lies.units, 0)) as says,
         coalesce(posted.units, 0) + coalesce(lies.units, 0) as gap
    from account
    left join (select account_id, sum(amount) as units from posting group by account_id) posted
      on posted.account_id = account.id
    left join (select chain.environment, chain.network || ':' || part.token as asset, sum(part.units) as units
                 from (${PARTS}) part join chain on chain.id = part.chain_ref
                group by chain.environment, chain.network || ':' || part.token) lies
      on lies.environment = account.environment and lies.asset = account.asset
   where account.kind = 'chain' and coalesce(posted.units, 0) + coalesce(lies.units, 0) <> 0
   order by account.id`;

/** The gap includes discrepancies that were booked out, so that only a further one is a new finding. */
const MISSING = `
  select 'stocktaking ' || chain_ref || '/' || token_contract as row,
         format('lacked %s of %s at block %s', missing, booked, booked_height) as says,
         missing + (select coalesce(sum(shortage.amount), 0) from shortage
                     where shortage.chain_ref = stocktaking.chain_ref
                       and shortage.token_contract = stocktaking.token_contract) as gap
    from stocktaking join chain on chain.id = chain_ref and chain.active
   where missing <> 0 order by chain_ref, token_contract`;

/** Our funds: top-ups of operators, and the place of every unit in the books. */
export const HOT_WALLET_CHECKS = [
  bookedExactly(
    'top_ups_are_booked',
    'Funds that reached a hot wallet other than by a sweep are booked once, as capital, and nothing else is.',
    ['top_up'],
    TOP_UP_LEGS,
  ),
  bookedExactly(
    'shortages_are_booked',
    'A discrepancy of a hot wallet is booked as a receivable when staff book it out, and nothing else is.',
    ['shortage'],
    DISCREPANCY_LEGS,
  ),
  statementCheck(
    'stocktakings_add_up',
    'The book balance of a hot wallet is its top-ups and sweeps, less payments, gas and discrepancies that were booked out.',
    ADDED_UP,
  ),
  statementCheck(
    FUNDS_ARE_PRESENT,
    'At the last comparison with its chain, a hot wallet in use held the funds of the books.',
    MISSING,
  ),
  statementCheck(
    'chain_owes_what_lies_there',
    'For each network and token, the ledger holds the funds on deposit addresses and in hot wallets.',
    CHAIN_ACCOUNTS,
  ),
] as const;

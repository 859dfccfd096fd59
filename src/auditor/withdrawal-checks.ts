import { statementCheck } from './check.js';

/** What the entries of a withdrawal moved: held at its order, let go when it was paid, given back when it failed. */
const MOVED = `
  (select entry.reference, posting.account_id, posting.amount
     from entry join posting on posting.entry_id = entry.id
    where entry.kind in ('withdrawal', 'withdrawal_paid', 'withdrawal_refund'))`;

/** Money out: what left was ordered, held and signed for, once (invariants W1 to W8, E1). */
export const WITHDRAWAL_CHECKS = [
  statementCheck(
    'withdrawals_are_booked',
    'Amount and fee of a withdrawal are held at its order, let go once it is paid, and given back once it failed.',
    `select 'withdrawal ' || withdrawal.id as row,
            format('is %s over %s: held %s, paid %s, given back %s', withdrawal.status,
                   withdrawal.amount + withdrawal.fee_amount, coalesce(held.amount, 0), coalesce(-paid.amount, 0),
                   coalesce(refund.amount, 0)) as says
       from withdrawal join pocket on pocket.id = withdrawal.pocket_id
       left join ${MOVED} held on held.reference = 'withdrawal:' || withdrawal.id
        and held.account_id = pocket.held_account_id
       left join ${MOVED} paid on paid.reference = 'withdrawal:' || withdrawal.id || ':paid'
        and paid.account_id = pocket.held_account_id
       left join ${MOVED} refund on refund.reference = 'withdrawal:' || withdrawal.id || ':refund'
        and refund.account_id = pocket.available_account_id
       cross join lateral (select withdrawal.amount + withdrawal.fee_amount as total) due
      where held.amount is distinct from due.total
         or -paid.amount is distinct from case withdrawal.status when 'completed' then due.total end
         or refund.amount is distinct from case withdrawal.status when 'failed' then due.total end
      order by withdrawal.id`,
  ),
  statementCheck(
    'bookings_have_withdrawals',
    'Every booking of a withdrawal has its withdrawal.',
    `select 'entry ' || entry.id as row, format('books %s, which there is not', entry.reference) as says
       from entry left join withdrawal on withdrawal.id = split_part(entry.reference, ':', 2)
      where entry.kind in ('withdrawal', 'withdrawal_paid', 'withdrawal_refund') and withdrawal.id is null
      order by entry.id`,
  ),
  statementCheck(
    'held_is_on_its_way',
    'What a pocket holds back is what its withdrawal on the way asks for.',
    `select 'pocket ' || pocket.id as row,
            format('holds %s, and its withdrawals on the way ask for %s', account.balance, coalesce(way.total, 0)) as says
       from pocket join account on account.id = pocket.held_account_id
       left join (select pocket_id, sum(amount + fee_amount) as total from withdrawal
                   where status = 'broadcasting' group by pocket_id) way on way.pocket_id = pocket.id
      where account.balance <> coalesce(way.total, 0) order by pocket.id`,
  ),
  statementCheck(
    'payments_are_ordered',
    'Every outgoing transaction pays what one withdrawal ordered: amount, token, chain and recipient.',
    `select 'chain_transaction ' || sent.id as row, format('is not what %s ordered', sent.purpose_id) as says
       from chain_transaction sent
       left join withdrawal on withdrawal.id = sent.purpose_id
      where sent.purpose = 'withdrawal'
        and (withdrawal.id is null
             or (sent.chain_ref, sent.token_contract, sent.amount)
               is distinct from (withdrawal.chain_ref, lower(withdrawal.token_contract), withdrawal.amount)
             or case sent.token_contract when 'native' then sent.destination else '0x' || substr(sent.data, 35, 40) end
               <> withdrawal.destination_key)
      order by sent.id`,
  ),
  statementCheck(
    'completed_are_paid_once',
    'A completed withdrawal has exactly one transaction that succeeded, the one that it names.',
    `select 'withdrawal ' || withdrawal.id as row,
            format('is %s and has %s transactions that paid', withdrawal.status, coalesce(paid.times, 0)) as says
       from withdrawal
       left join (select purpose_id, count(*) as times, min(mined_hash) as mined_hash from chain_transaction
                   where purpose = 'withdrawal' and status = 'succeeded' group by purpose_id) paid
         on paid.purpose_id = withdrawal.id
      where coalesce(paid.times, 0) <> (withdrawal.status = 'completed')::int
         or (withdrawal.status = 'completed' and paid.mined_hash <> withdrawal.tx_hash)
      order by withdrawal.id`,
  ),
  statementCheck(
    'nonces_have_no_gaps',
    'Every nonce that a hot wallet has given out belongs to one transaction from its address.',
    `select 'hot_wallet ' || wallet.chain_ref as row,
            format('has given out %s nonces and has %s transactions', wallet.next_nonce, coalesce(sent.times, 0)) as says
       from hot_wallet wallet
       left join (select chain_ref, sender, count(distinct nonce) as times, min(nonce) as first, max(nonce) as last
                    from chain_transaction group by chain_ref, sender) sent
         on sent.chain_ref = wallet.chain_ref and sent.sender = wallet.address_key
      where (sent.times is null and wallet.next_nonce <> 0)
         or sent.last + 1 <> wallet.next_nonce or sent.last - sent.first + 1 <> sent.times
         or exists (select from chain_transaction stranger
                     where stranger.chain_ref = wallet.chain_ref and stranger.sender <> wallet.address_key)
      order by wallet.chain_ref`,
  ),
  statementCheck(
    'signatures_are_accounted_for',
    'Every signed version of a transaction has its one verdict of the vault.',
    `select 'transaction_attempt ' || attempt.transaction_id || '/' || attempt.number as row,
            format('was signed with %s verdicts of the vault', count(verdict.id)) as says
       from transaction_attempt attempt
       left join vault_audit verdict
         on verdict.transaction_id = attempt.transaction_id and verdict.attempt = attempt.number
        and verdict.tx_hash = attempt.tx_hash and verdict.verdict = 'signed'
      group by attempt.transaction_id, attempt.number having count(verdict.id) <> 1
      order by attempt.transaction_id, attempt.number`,
  ),
  statementCheck(
    'gas_is_booked',
    'The gas of every mined transaction is booked as it was paid.',
    `select 'chain_transaction ' || sent.id as row,
            format('paid %s for gas, and %s is booked', sent.fee_paid, coalesce(booked.amount, 0)) as says
       from chain_transaction sent
       left join (select entry.reference, -posting.amount as amount
                    from entry join posting on posting.entry_id = entry.id
                    join account on account.id = posting.account_id and account.kind = 'network_fees'
                   where entry.kind = 'network_fee') booked on booked.reference = 'gas:' || sent.id
      where coalesce(sent.fee_paid, 0) <> coalesce(booked.amount, 0) order by sent.id`,
  ),
  statementCheck(
    'gas_bookings_have_transactions',
    'Every booking of gas has its transaction.',
    `select 'entry ' || entry.id as row, format('books %s, which there is not', entry.reference) as says
       from entry left join chain_transaction sent on 'gas:' || sent.id = entry.reference
      where entry.kind = 'network_fee' and sent.id is null order by entry.id`,
  ),
  statementCheck(
    'endings_are_told_once',
    'A withdrawal that ended has exactly one event of that, and one on its way has none.',
    `select 'withdrawal ' || withdrawal.id as row,
            format('is %s and has %s events of its end', withdrawal.status, coalesce(told.times, 0)) as says
       from withdrawal
       left join (select resource_id, count(*) as times, min(type) as type from event
                   where type in ('withdrawal.completed', 'withdrawal.failed') group by resource_id) told
         on told.resource_id = withdrawal.id
      where coalesce(told.times, 0) <> (withdrawal.status <> 'broadcasting')::int
         or told.type <> 'withdrawal.' || withdrawal.status
      order by withdrawal.id`,
  ),
] as const;

import { statementCheck } from './check.js';

/** Money out: what left was paid once, accounted for and told of (invariants W1, W4, W5, W7, W8, E1). */
export const WITHDRAWAL_CHECKS = [
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
    'approvals_are_decided',
    'Every approval of a withdrawal is about its terms, and was decided once by the operator whom it names.',
    `select 'withdrawal ' || coalesce(approval.withdrawal_id, decided.subject) as row,
            format('is approved by %s, and was so decided by %s, for %s of %s to %s',
                   coalesce(approval.approved_by, 'nobody'), coalesce(decided.actors, 'nobody'),
                   approval.amount, approval.token_contract, approval.destination_key) as says
       from withdrawal_approval approval
       full join (select subject, string_agg(actor, ', ' order by id) as actors from audit_entry
                   where action = 'withdrawal.approve' group by subject) decided
         on decided.subject = approval.withdrawal_id
       left join withdrawal on withdrawal.id = approval.withdrawal_id
      where approval.approved_by is distinct from decided.actors
         or (approval.chain_ref, approval.token_contract, approval.amount, approval.destination_key)
           is distinct from
            (withdrawal.chain_ref, withdrawal.token_contract, withdrawal.amount, withdrawal.destination_key)
      order by 1`,
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
    'Every signed version of a transaction has its one verdict, of the vault or of the operator who took it in.',
    `select 'transaction_attempt ' || attempt.transaction_id || '/' || attempt.number as row,
            format('was signed with %s verdicts', count(verdict.id)) as says
       from transaction_attempt attempt
       left join vault_audit verdict
         on verdict.transaction_id = attempt.transaction_id and verdict.attempt = attempt.number
        and verdict.tx_hash = attempt.tx_hash
        and (verdict.verdict = 'signed'
             or (verdict.verdict = 'adopted'
                 and exists (select from audit_entry
                              where subject = verdict.purpose_id and action = 'transaction.adopt'
                                and details ->> 'hash' = verdict.tx_hash)))
      group by attempt.transaction_id, attempt.number having count(verdict.id) <> 1
      order by attempt.transaction_id, attempt.number`,
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

import { statementCheck } from '../check.js';

/** Money out: every payment was made once, is accounted for and has its event. */
export const WITHDRAWAL_CHECKS = [
  statementCheck(
    'held_is_on_its_way',
    'The held balance of a pocket equals the amount and fee of its pending withdrawals.',
    `select 'pocket ' || pocket.id as row,
            format('holds %s, and its withdrawals on the way ask for %s', account.balance, coalesce(way.total, 0)) as says,
            account.balance - coalesce(way.total, 0) as gap
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
    'Every approval has the terms of its withdrawal, and was decided once by the operator that it names.',
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
    'Every nonce that a hot wallet has assigned belongs to one transaction from its address.',
    `select 'hot_wallet ' || coalesce(wallet.chain_ref, sent.chain_ref) as row,
            format('has given out %s nonces and has %s transactions', coalesce(wallet.next_nonce::text, 'no'),
                   coalesce(sent.times, 0)) as says,
            coalesce(wallet.next_nonce, 0) - coalesce(sent.times, 0) as gap
       from hot_wallet wallet
       full join (select chain_ref, sender, count(distinct nonce) as times, min(nonce) as first, max(nonce) as last
                    from chain_transaction where status <> 'superseded' group by chain_ref, sender) sent
         on sent.chain_ref = wallet.chain_ref and sent.sender = wallet.address_key
      where wallet.chain_ref is null or (sent.times is null and wallet.next_nonce <> 0)
         or sent.last + 1 <> wallet.next_nonce or sent.last - sent.first + 1 <> sent.times
      order by 1`,
  ),
  statementCheck(
    'signatures_are_accounted_for',
    'Every signed version of a transaction has one verdict, of the vault or of the operator who adopted it, and none is missing.',
    `select 'transaction_attempt ' || transaction_id || '/' || number as row,
            case when count(standing.id) < count(*) then 'is of no transaction'
                 when count(raw_transaction) = 0 then 'is gone, and was signed'
                 else format('was signed with %s verdicts', count(verdict.id)) end as says
       from transaction_attempt attempt
       full join (select id, transaction_id, attempt as number, tx_hash from vault_audit
                   where verdict = 'signed'
                      or (verdict = 'adopted'
                          and exists (select from audit_entry
                                       where subject = vault_audit.purpose_id and action = 'transaction.adopt'
                                         and details ->> 'hash' = vault_audit.tx_hash))) verdict
         using (transaction_id, number, tx_hash)
       left join (select sent.id from chain_transaction sent join chain on chain.id = sent.chain_ref) standing
         on standing.id = transaction_id
      group by transaction_id, number, tx_hash
     having count(raw_transaction) <> 1 or count(verdict.id) <> 1 or count(standing.id) < count(*)
      order by transaction_id, number`,
  ),
  statementCheck(
    'withdrawals_fit_pockets',
    'A withdrawal matches its pocket: the same merchant, the same token, and a chain of its network.',
    `select 'withdrawal ' || withdrawal.id as row,
            format('takes %s on %s for %s, and its pocket %s holds something else', withdrawal.token_contract,
                   withdrawal.chain_ref, withdrawal.merchant_id, withdrawal.pocket_id) as says
       from withdrawal
       left join pocket on pocket.id = withdrawal.pocket_id
       left join chain on chain.id = withdrawal.chain_ref
      where (pocket.merchant_id, pocket.environment, pocket.network, lower(pocket.token_contract), chain.environment,
             chain.network)
        is distinct from
            (withdrawal.merchant_id, withdrawal.environment, withdrawal.network, lower(withdrawal.token_contract),
             withdrawal.environment, withdrawal.network)
      order by withdrawal.id`,
  ),
  statementCheck(
    'addresses_are_spelled_alike',
    'The address that is shown and the address that is paid are the same.',
    `select 'withdrawal ' || withdrawal.id as row, format('goes to %s, and shows %s', destination_key, destination) as says
       from withdrawal join chain on chain.id = chain_ref
      where chain.family = 'evm' and lower(destination collate "C") <> destination_key
      union all
     select 'hot_wallet ' || chain_ref, format('is %s, and shows %s', address_key, address)
       from hot_wallet join chain on chain.id = chain_ref
      where chain.family = 'evm' and lower(address collate "C") <> address_key
      order by 1`,
  ),
  statementCheck(
    'endings_are_told_once',
    'A finished withdrawal has exactly one event of its end, and a pending one has none.',
    `select 'withdrawal ' || withdrawal.id as row,
            format('is %s and has %s events of its end', withdrawal.status, coalesce(reported.times, 0)) as says
       from withdrawal
       left join (select resource_id, count(*) as times, min(type) as type from event
                   where type in ('withdrawal.completed', 'withdrawal.failed') group by resource_id) reported
         on reported.resource_id = withdrawal.id
      where coalesce(reported.times, 0) <> (withdrawal.status <> 'broadcasting')::int
         or reported.type <> 'withdrawal.' || withdrawal.status
      order by withdrawal.id`,
  ),
] as const;

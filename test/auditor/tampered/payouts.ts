import type { NamingCase } from '../tampering.js';

/** Orders, signatures, payments and gas. */
export const TAMPERED_PAYOUTS: readonly NamingCase[] = [
  [
    'an entry whose withdrawal was deleted',
    `delete from withdrawal where status = 'broadcasting'
     returning (select 'entry ' || entry.id from entry where reference = 'withdrawal:' || withdrawal.id) as row`,
    'withdrawals_are_booked',
  ],
  [
    'bytes that were signed for another order',
    `update withdrawal set amount = amount + 1 where status = 'completed'
     returning (select 'transaction_attempt ' || transaction_id || '/1' from transaction_attempt limit 1) as row`,
    'payments_are_ordered',
  ],
  [
    'bytes that pay another amount than their transaction says',
    `update chain_transaction set amount = amount + 1 where purpose = 'withdrawal'
     returning 'transaction_attempt ' || id || '/1' as row`,
    'payments_are_ordered',
  ],
  [
    'bytes of another transaction',
    `update transaction_attempt set tx_hash = overlay(tx_hash placing 'ffff' from 3)
     returning 'transaction_attempt ' || transaction_id || '/' || number as row`,
    'payments_are_ordered',
  ],
  [
    'bytes that were changed',
    `update transaction_attempt set raw_transaction = overlay(raw_transaction placing 'ff' from 60)
     returning 'transaction_attempt ' || transaction_id || '/' || number as row`,
    'payments_are_ordered',
  ],
  [
    'bytes whose signature has no valid sender',
    `update transaction_attempt
        set raw_transaction = overlay(raw_transaction placing repeat('55', 32) from length(raw_transaction) - 129)
     returning 'transaction_attempt ' || transaction_id || '/' || number as row`,
    'payments_are_ordered',
  ],
  [
    'a refusal by the destination without evidence',
    `update withdrawal set failure_code = 'destination_rejects' where status = 'failed'
     returning 'withdrawal ' || id as row`,
    'refusals_are_unsigned',
  ],
  [
    'a signature for a payment that the destination refuses',
    `with simulated as (
       insert into payment_simulation (purpose, purpose_id, chain_ref, sender, token_contract, amount, destination_key,
         gas_limit, outcome, nodes, block_height, block_hash, simulated_at)
       select 'withdrawal', id, chain_ref, '0x', token_contract, amount, destination_key, 120000, 'rejects', 1, 1, '0x', now()
         from withdrawal where status = 'completed')
     update withdrawal set status = 'failed', failure_code = 'destination_rejects', failure_message = '-', completed_at = null
      where status = 'completed' returning 'withdrawal ' || id as row`,
    'refusals_are_unsigned',
  ],
  [
    'a payment that was signed with a simulation that is too old',
    `with aged as (update payment_simulation set simulated_at = simulated_at - interval '2 days' returning id)
     select 'chain_transaction ' || id as row from chain_transaction
      where purpose = 'withdrawal' and exists (select from aged)`,
    'signed_payments_were_simulated',
  ],
  [
    'a refund that is booked twice',
    `with again as (insert into entry (id, reference, kind, content_hash)
                    select 'ent_again', reference || ':again', kind, 'x' from entry where kind = 'withdrawal_refund'
                    returning id),
          legs as (insert into posting (entry_id, account_id, asset, environment, amount)
                   select again.id, account_id, asset, environment, amount from again, posting
                    where entry_id = (select id from entry where kind = 'withdrawal_refund'))
     select 'entry ' || id as row from again`,
    'withdrawals_are_booked',
  ],
  [
    'a transaction that was deleted',
    `delete from chain_transaction returning 'hot_wallet ' || chain_ref as row`,
    'nonces_have_no_gaps',
  ],
  [
    'a hot wallet that was deleted',
    `delete from hot_wallet where next_nonce > 0 returning 'hot_wallet ' || chain_ref as row`,
    'nonces_have_no_gaps',
  ],
  [
    'a hot wallet that shows another address',
    `update hot_wallet set address = '0xThief' where next_nonce > 0 returning 'hot_wallet ' || chain_ref as row`,
    'addresses_are_spelled_alike',
  ],
  [
    'signed bytes that were deleted',
    `delete from transaction_attempt returning 'transaction_attempt ' || transaction_id || '/' || number as row`,
    'signatures_are_accounted_for',
  ],
  [
    'bytes without a transaction',
    `update chain_transaction set id = 'ctx_other'
     returning (select 'transaction_attempt ' || transaction_id || '/' || number from transaction_attempt) as row`,
    'signatures_are_accounted_for',
  ],
  [
    'a nonce that was skipped',
    `update hot_wallet set next_nonce = next_nonce + 1 where next_nonce > 0 returning 'hot_wallet ' || chain_ref as row`,
    'nonces_have_no_gaps',
  ],
  [
    'a signature without a verdict',
    `delete from vault_audit returning 'transaction_attempt ' || transaction_id || '/' || attempt as row`,
    'signatures_are_accounted_for',
  ],
  [
    'gas that is booked with another amount',
    `update chain_transaction set fee_paid = fee_paid + 1 returning 'chain_transaction ' || id as row`,
    'gas_is_booked',
  ],
];

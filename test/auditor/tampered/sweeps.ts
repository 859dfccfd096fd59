import type { NamingCase } from '../tampering.js';

/** Sweeps, and the balances that they move. */
export const TAMPERED_SWEEPS: readonly NamingCase[] = [
  [
    'a sweep whose items were deleted',
    `with gone as (delete from sweep_item where sweep_id = (select min(sweep_id) from sweep_item where swept > 0)
                   returning sweep_id)
     select 'transaction_attempt ' || sent.id || '/1' as row from chain_transaction sent
      where purpose_id in (select sweep_id from gone)`,
    'payments_are_ordered',
  ],
  [
    'a sweep that says it took more',
    `update sweep_item item set swept = item.swept + 1
       from (select * from sweep_item where swept > 0 order by chain_ref, token_contract, address_id limit 1) first
      where (item.sweep_id, item.position) = (first.sweep_id, first.position)
     returning format('deposit_balance %s/%s/%s', item.chain_ref, item.token_contract, item.address_id) as row`,
    'deposit_balances_add_up',
  ],
  [
    'a balance that received more than its deposits',
    `update deposit_balance set received = received + 1
      where address_id = (select max(address_id) from deposit_balance where token_contract <> 'native')
     returning format('deposit_balance %s/%s/%s', chain_ref, token_contract, address_id) as row`,
    'deposit_balances_add_up',
  ],
  [
    'a balance that was deleted',
    `delete from deposit_balance
      where address_id = (select max(address_id) from deposit_balance where token_contract <> 'native')
     returning format('deposit_balance %s/%s/%s', chain_ref, token_contract, address_id) as row`,
    'deposit_balances_add_up',
  ],
  [
    'a balance that says it is being swept',
    `update deposit_balance set sweep_id = 'swp_other'
      where address_id = (select max(address_id) from deposit_balance where token_contract <> 'native')
     returning format('deposit_balance %s/%s/%s', chain_ref, token_contract, address_id) as row`,
    'balances_are_swept_once',
  ],
  [
    'a sweep that says it is under way',
    `update sweep set finished_at = null where id = (select min(id) from sweep) returning 'sweep ' || id as row`,
    'sweeps_end_with_their_transactions',
  ],
  [
    'a sweep of other addresses than were signed for',
    `update sweep_item set address_id = (select max(id) from pool_address)
      where sweep_id = (select purpose_id from chain_transaction where purpose = 'sweep' order by id limit 1)
        and position = 0
     returning (select format('transaction_attempt %s/1', id) from chain_transaction
                 where purpose_id = sweep_item.sweep_id) as row`,
    'payments_are_ordered',
  ],
  [
    "a sweep by other contracts than the hot wallet's",
    `update sweep set batch = overlay(batch placing 'ffff' from 3)
      where id = (select purpose_id from chain_transaction where purpose = 'sweep' order by id limit 1)
     returning (select format('transaction_attempt %s/1', id) from chain_transaction
                 where purpose_id = sweep.id) as row`,
    'payments_are_ordered',
  ],
  [
    'an authorization without an order',
    `update sweep_item set authorization_nonce = null
      where sweep_id = (select purpose_id from chain_transaction where purpose = 'sweep' order by id limit 1)
        and position = 0
     returning (select format('transaction_attempt %s/1', id) from chain_transaction
                 where purpose_id = sweep_item.sweep_id) as row`,
    'payments_are_ordered',
  ],
  [
    'a deployment without an order',
    `delete from sweep_contract where kind = 'batch'
     returning (select format('transaction_attempt %s/1', id) from chain_transaction
                 where purpose_id = sweep_contract.id) as row`,
    'payments_are_ordered',
  ],
];

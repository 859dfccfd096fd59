import type { PaidIds } from '../paid-world.js';

/** A change of the row with an id, and the row that a rule must report for it, in which `$1` is that id. */
export type OrderCase = readonly [name: string, statement: string, id: keyof PaidIds, rule: string, row: string];

/** Deposits, intents and withdrawals, and their events. */
export const TAMPERED_ORDERS: readonly OrderCase[] = [
  [
    'a deposit of another amount',
    `update deposit set amount = amount + 1 where id = $1`,
    'deposit',
    'deposits_are_booked',
    'deposit $1',
  ],
  [
    'a deposit that was given to another merchant',
    `update deposit set merchant_id = 'mer_other' where id = $1`,
    'deposit',
    'deposits_are_booked',
    'deposit $1',
  ],
  [
    'a deposit that counts for the intent of another, with its merchant',
    `with other as (insert into payment_intent
                    select (jsonb_populate_record(intent, '{"id": "pi_other", "merchant_id": "mer_other", "address": "0xother"}')).*
                      from payment_intent intent join deposit on deposit.intent_id = intent.id where deposit.id = $1)
     update deposit set intent_id = 'pi_other', merchant_id = 'mer_other' where id = $1`,
    'deposit',
    'deposits_are_their_intents',
    'deposit $1',
  ],
  [
    'a deposit of an intent in another token',
    `update payment_intent set token_contract = '0xother' where id = (select intent_id from deposit where id = $1)`,
    'deposit',
    'deposits_are_their_intents',
    'deposit $1',
  ],
  [
    'a deposit of an intent on another chain, which does not replace the chain of the intent',
    `with other as (insert into chain
                    select (jsonb_populate_record(chain, '{"id": "other", "genesis_hash": "0xother", "active": false}')).*
                      from chain join deposit on deposit.chain_ref = chain.id where deposit.id = $1)
     update payment_intent set chain_ref = 'other' where id = (select intent_id from deposit where id = $1)`,
    'deposit',
    'deposits_are_their_intents',
    'deposit $1',
  ],
  [
    'an intent that shows the address of another intent',
    `update payment_intent set address = '0xThief' where id = $1`,
    'intent',
    'intents_show_their_addresses',
    'payment_intent $1',
  ],
  [
    'a final deposit that is not credited',
    `update deposit set credited_at = null where id = $1`,
    'deposit',
    'final_deposits_are_credited',
    'deposit $1',
  ],
  [
    'an intent that says it received more',
    `update payment_intent set received_crypto_amount = received_crypto_amount + 1 where id = $1`,
    'intent',
    'completed_intents_are_paid',
    'payment_intent $1',
  ],
  [
    'an intent that completed for less',
    `update payment_intent set received_amount_cents = received_amount_cents - 1 where id = $1`,
    'intent',
    'completed_intents_are_paid',
    'payment_intent $1',
  ],
  [
    'a completion without an event',
    `delete from event where resource_id = $1 and type = 'payment_intent.completed'`,
    'intent',
    'completions_are_told_once',
    'payment_intent $1',
  ],
  [
    'a withdrawal of another amount',
    `update withdrawal set amount = amount + 1 where id = $1`,
    'completed',
    'withdrawals_are_booked',
    'withdrawal $1',
  ],
  [
    'a withdrawal that takes another token than its pocket holds',
    `update withdrawal set token_contract = '0xother' where id = $1`,
    'waiting',
    'withdrawals_fit_pockets',
    'withdrawal $1',
  ],
  [
    'a withdrawal that takes it on another chain',
    `update withdrawal set chain_ref = 'other' where id = $1`,
    'waiting',
    'withdrawals_fit_pockets',
    'withdrawal $1',
  ],
  [
    'a withdrawal out of the pocket of another merchant',
    `update withdrawal set merchant_id = 'mer_other' where id = $1`,
    'waiting',
    'withdrawals_fit_pockets',
    'withdrawal $1',
  ],
  [
    'a withdrawal that pays another address than it shows',
    `update withdrawal set destination_key = '0xthief' where id = $1`,
    'waiting',
    'addresses_are_spelled_alike',
    'withdrawal $1',
  ],
  [
    'a withdrawal that failed and says it completed',
    `update withdrawal set status = 'completed', completed_at = now(), failure_code = null, failure_message = null,
            tx_hash = '0xab' where id = $1`,
    'failed',
    'completed_are_paid_once',
    'withdrawal $1',
  ],
  [
    'a withdrawal that waits and says it failed',
    `update withdrawal set status = 'failed', failure_code = 'cancelled', failure_message = 'x' where id = $1`,
    'waiting',
    'withdrawals_are_booked',
    'withdrawal $1',
  ],
  [
    'a withdrawal that names another transaction',
    `update withdrawal set tx_hash = '0xab' where id = $1`,
    'completed',
    'completed_are_paid_once',
    'withdrawal $1',
  ],
  [
    'an end with two events',
    `insert into event (id, merchant_id, environment, type, resource_id, data, created_at)
     select id || 'x', merchant_id, environment, type, resource_id, data, created_at from event
      where resource_id = $1 and type = 'withdrawal.completed'`,
    'completed',
    'endings_are_told_once',
    'withdrawal $1',
  ],
];

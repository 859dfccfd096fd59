import { statementCheck } from '../check.js';

/** Money in: final deposits are credited, and intents show what they received. */
export const PAYMENT_CHECKS = [
  statementCheck(
    'final_deposits_are_credited',
    'A final deposit is credited, or its intent waits to be settled; one without an intent is booked within an hour.',
    `select 'deposit ' || id as row, 'is final, is not credited, and waits for no settlement' as says
       from deposit
      where status = 'confirmed' and credited_at is null and gone_at is null
        and case when intent_id is null then confirmed_at < now() - interval '1 hour'
                 else not exists (select from dirty_intent where dirty_intent.intent_id = deposit.intent_id) end
      order by id`,
  ),
  statementCheck(
    'deposits_are_their_intents',
    'A deposit that counts for an intent came to its address, in its token on its chain, and belongs to its merchant. ' +
      'A replaced development chain counts as the chain that replaced it.',
    `select 'deposit ' || deposit.id as row,
            format('counts for %s of %s, and came to an address of %s', deposit.intent_id, deposit.merchant_id,
                   coalesce(address.intent_id, 'nobody')) as says
       from deposit
       left join pool_address address on address.id = deposit.address_id
       left join payment_intent intent on intent.id = deposit.intent_id
       left join chain asked_on on asked_on.id = intent.chain_ref
       left join chain paid_on on paid_on.id = deposit.chain_ref
      where deposit.intent_id is not null and deposit.status <> 'orphaned'
        and ((address.intent_id, intent.merchant_id, lower(intent.token_contract))
               is distinct from (deposit.intent_id, deposit.merchant_id, lower(deposit.token_contract))
             or (intent.chain_ref is distinct from deposit.chain_ref
                 and (paid_on.active or (asked_on.environment, asked_on.network, asked_on.chain_id)
                        is distinct from (paid_on.environment, paid_on.network, paid_on.chain_id))))
      order by deposit.id`,
  ),
  statementCheck(
    'intents_show_their_addresses',
    'An intent shows the pool address that was assigned to it, and no other.',
    `select coalesce('payment_intent ' || intent.id, 'pool_address ' || given.id) as row,
            format('shows %s, and was given %s', coalesce(intent.address, 'no address'),
                   coalesce(given.address, 'none')) as says
       from payment_intent intent
       full join (select id, intent_id, address from pool_address where intent_id is not null) given
         on given.intent_id = intent.id
      where intent.address is distinct from given.address
      order by 1`,
  ),
  statementCheck(
    'completed_intents_are_paid',
    'Final deposits that are not on hold cover the received amount of a completed intent, and it is enough.',
    `select 'payment_intent ' || intent.id as row,
            format('says it received %s, and its final deposits are %s', intent.received_crypto_amount,
                   coalesce(paid.total, 0)) as says
       from payment_intent intent
       left join (select intent_id, sum(amount) as total
                    from deposit left join counted_on_hold counted on counted.deposit_id = deposit.id
                   where status = 'confirmed' and intent_id is not null
                     and (listed_sender_id is null or (credited_at is not null and held_as is null)
                          or counted.deposit_id is not null)
                   group by intent_id) paid
         on paid.intent_id = intent.id
      where intent.status = 'completed'
        and (intent.received_crypto_amount > coalesce(paid.total, 0)
             or intent.received_amount_cents + intent.accepted_shortfall_cents < intent.amount_cents)
      order by intent.id`,
  ),
  statementCheck(
    'completions_are_told_once',
    'A completed intent has exactly one event of its completion, and no other intent has one.',
    `select 'payment_intent ' || intent.id as row,
            format('is %s and has %s events of its completion', intent.status, coalesce(reported.times, 0)) as says
       from payment_intent intent
       left join (select resource_id, count(*) as times from event
                   where type = 'payment_intent.completed' group by resource_id) reported on reported.resource_id = intent.id
      where coalesce(reported.times, 0) <> (intent.status = 'completed')::int order by intent.id`,
  ),
] as const;

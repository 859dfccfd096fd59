import { statementCheck } from './check.js';

/** Money in: what is final is credited, once, and what is credited came in (invariants D1 to D3, P2, P3, E1). */
export const PAYMENT_CHECKS = [
  statementCheck(
    'credits_are_booked',
    'Every credited deposit is booked to its merchant, with its amount.',
    `select 'deposit ' || deposit.id as row,
            case when booked.amount is null then 'is credited and not booked'
                 else format('moved %s and is booked as %s', deposit.amount, booked.amount) end as says
       from deposit join chain on chain.id = deposit.chain_ref
       left join (select entry.reference, posting.amount, account.merchant_id, account.environment, account.asset
                    from entry join posting on posting.entry_id = entry.id
                    join account on account.id = posting.account_id and account.kind = 'pocket_available'
                   where entry.kind = 'deposit') booked on booked.reference = 'deposit:' || deposit.id
      where deposit.credited_at is not null
        and (booked.amount, booked.merchant_id, booked.environment, lower(booked.asset))
          is distinct from
            (deposit.amount, deposit.merchant_id, chain.environment,
             lower(chain.network || ':' || deposit.token_contract))
      order by deposit.id`,
  ),
  statementCheck(
    'bookings_have_deposits',
    'Every booking of a deposit has its deposit, which is final and credited.',
    `select 'entry ' || entry.id as row, format('books %s, which is not credited', entry.reference) as says
       from entry left join deposit
         on 'deposit:' || deposit.id = entry.reference and deposit.status = 'confirmed' and deposit.credited_at is not null
      where entry.kind = 'deposit' and deposit.id is null order by entry.id`,
  ),
  statementCheck(
    'final_deposits_are_credited',
    'A deposit of an intent is credited soon after it is final.',
    `select 'deposit ' || id as row, 'is final for over ten minutes and not credited' as says
       from deposit
      where status = 'confirmed' and intent_id is not null and credited_at is null
        and confirmed_at < now() - interval '10 minutes' order by id`,
  ),
  statementCheck(
    'completed_intents_are_paid',
    'What a completed intent says it received is there in final deposits, and is enough.',
    `select 'payment_intent ' || intent.id as row,
            format('says it received %s, and its final deposits are %s', intent.received_crypto_amount,
                   coalesce(paid.total, 0)) as says
       from payment_intent intent
       left join (select intent_id, sum(amount) as total from deposit
                   where status = 'confirmed' and intent_id is not null group by intent_id) paid
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
            format('is %s and has %s events of its completion', intent.status, coalesce(told.times, 0)) as says
       from payment_intent intent
       left join (select resource_id, count(*) as times from event
                   where type = 'payment_intent.completed' group by resource_id) told on told.resource_id = intent.id
      where coalesce(told.times, 0) <> (intent.status = 'completed')::int order by intent.id`,
  ),
] as const;

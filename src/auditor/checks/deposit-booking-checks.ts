import { bookedExactly, systemAccount } from './booked-exactly.js';
import { type Check, statementCheck } from '../check.js';

/** The kinds of a deposit's entries, from its credit to the last decision of staff. */
export const DEPOSIT_ENTRY_KINDS = [
  'deposit',
  'unattributed',
  'resolution',
  'release',
  'reversal',
  'restoration',
] as const;

const ASSET = `chain.network || ':' || lower(deposit.token_contract)`;
const account = (kind: 'chain' | 'suspense' | 'frozen' | 'receivable'): string =>
  systemAccount(kind, 'chain.environment', ASSET);

/** A deposit for an intent from a clean sender belongs to its merchant; any other is held until staff decide. */
const CREDIT_LEGS = `
  select 'deposit ' || deposit.id as fact, booking.prefix || deposit.id as reference, booking.kind, leg.account_id,
         leg.amount
    from deposit join chain on chain.id = deposit.chain_ref
    left join pocket on pocket.merchant_id = deposit.merchant_id and pocket.environment = chain.environment
     and pocket.network = chain.network and lower(pocket.token_contract) = lower(deposit.token_contract)
   cross join lateral (values
     (case when deposit.intent_id is null then 'suspense:' else 'deposit:' end,
      case when deposit.intent_id is null then 'unattributed' else 'deposit' end)) as booking (prefix, kind)
   cross join lateral (values
     (case when deposit.listed_sender_id is not null then ${account('frozen')}
           when deposit.intent_id is null then ${account('suspense')}
           else pocket.available_account_id end, deposit.amount),
     (${account('chain')}, -deposit.amount)) as leg (account_id, amount)
   where deposit.credited_at is not null`;

const pocketNamedBy = (detail: 'pocket' | 'to'): string =>
  `(select pocket.available_account_id from pocket where pocket.id = decision.details ->> '${detail}')`;

const accountNamedBy = (detail: 'from' | 'to'): string => `
  case decision.details ->> '${detail}' when 'suspense' then ${account('suspense')} when 'frozen' then ${account('frozen')}
    when 'receivable' then ${account('receivable')} end`;

/** Each decision of staff moves the whole deposit, as its audit entry says; repeated decisions are numbered. */
const DECISION_LEGS = `
  select 'deposit ' || deposit.id as fact,
         leg.kind || ':' || deposit.id || case when decision.time > 1 then ':' || decision.time else '' end as reference,
         leg.kind, leg.account_id, leg.amount
    from (select *, row_number() over (partition by subject, action order by id) as time from audit_entry
           where action in ('deposit.resolve', 'deposit.release', 'deposit.reverse', 'deposit.restore')) decision
    join deposit on deposit.id = decision.subject
    join chain on chain.id = deposit.chain_ref
   cross join lateral (values
     ('deposit.resolve', 'resolution', ${account('suspense')}, -deposit.amount),
     ('deposit.resolve', 'resolution', ${pocketNamedBy('pocket')}, deposit.amount),
     ('deposit.release', 'release', ${account('frozen')}, -deposit.amount),
     ('deposit.release', 'release',
      case decision.details ->> 'to' when 'suspense' then ${account('suspense')} else ${pocketNamedBy('to')} end,
      deposit.amount),
     ('deposit.reverse', 'reversal', ${accountNamedBy('from')}, -deposit.amount),
     ('deposit.reverse', 'reversal', ${account('chain')}, deposit.amount),
     ('deposit.restore', 'restoration', ${account('chain')}, -deposit.amount),
     ('deposit.restore', 'restoration', ${accountNamedBy('to')}, deposit.amount))
       as leg (action, kind, account_id, amount)
   where leg.action = decision.action`;

/** Deposits against their entries, from the credit to the last decision of staff. */
export const DEPOSIT_BOOKING_CHECKS: readonly Check[] = [
  bookedExactly(
    'deposits_are_booked',
    'Every credited deposit is booked with its amount, once, to its merchant, to suspense or as frozen, and no other is.',
    ['deposit', 'unattributed'],
    CREDIT_LEGS,
  ),
  bookedExactly(
    'decisions_are_booked',
    'Every deposit that staff resolved, released, reversed or restored is booked so, and no other is.',
    ['resolution', 'release', 'reversal', 'restoration'],
    DECISION_LEGS,
  ),
  statementCheck(
    'held_deposits_lie_there',
    'A deposit is held in the account that its entries show.',
    `select 'deposit ' || deposit.id as row,
            format('is held as %s, and its entries leave %s in suspense, %s frozen and %s on its way',
                   coalesce(deposit.held_as, 'nothing'), coalesce(lies.in_suspense, 0), coalesce(lies.frozen, 0),
                   coalesce(lies.returning, 0)) as says
       from deposit
       left join (select split_part(entry.reference, ':', 2) as deposit_id,
                         sum(posting.amount) filter (where account.kind = 'suspense') as in_suspense,
                         sum(posting.amount) filter (where account.kind = 'frozen') as frozen,
                         sum(posting.amount) filter (where account.kind = 'returning') as returning
                    from account join posting on posting.account_id = account.id
                    join entry on entry.id = posting.entry_id
                   where account.kind in ('suspense', 'frozen', 'returning') group by 1) lies on lies.deposit_id = deposit.id
      where coalesce(lies.in_suspense, 0) <> case when deposit.held_as = 'suspense' then deposit.amount else 0 end
         or coalesce(lies.frozen, 0) <> case when deposit.held_as in ('frozen', 'kept') then deposit.amount else 0 end
         or coalesce(lies.returning, 0) <> case when deposit.held_as = 'returning' then deposit.amount else 0 end
      order by deposit.id`,
  ),
  statementCheck(
    'reversals_are_decided',
    'A deposit is reversed when staff reversed it, and restored when they restored it as often.',
    `select 'deposit ' || deposit.id as row,
            format('is %s, and staff reversed it %s and restored it %s times',
                   case when reversed_at is null then 'not reversed' when restored_at is null then 'reversed'
                        else 'restored' end,
                   coalesce(done.reversed, 0), coalesce(done.restored, 0)) as says
       from deposit
       left join (select subject, count(*) filter (where action = 'deposit.reverse') as reversed,
                         count(*) filter (where action = 'deposit.restore') as restored
                    from audit_entry where action in ('deposit.reverse', 'deposit.restore') group by subject) done
         on done.subject = deposit.id
      where (reversed_at is not null) <> (coalesce(done.reversed, 0) > 0)
         or (reversed_at is not null and restored_at is null)::int <> coalesce(done.reversed, 0) - coalesce(done.restored, 0)
      order by deposit.id`,
  ),
];

import { Account } from '../../ledger/account.entity.js';
import { Entry } from '../../ledger/entry.entity.js';
import { Pocket } from '../../ledger/pocket.entity.js';
import { Posting } from '../../ledger/posting.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { AuditEntry } from '../../platform/audit-entry.entity.js';
import { as } from '../../platform/sql/as.js';
import { define, lines, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { type Check, statementCheck } from '../check.js';
import { assetOf, bookedExactly, systemAccount } from './booked-exactly.sql.js';

/** The kinds of a deposit's entries, from its credit to the last decision of staff. */
export const DEPOSIT_ENTRY_KINDS = [
  'deposit',
  'unattributed',
  'resolution',
  'release',
  'reversal',
  'restoration',
] as const;

const deposit = table(Deposit);
const chain = table(Chain);
const pocket = table(Pocket);
const account = table(Account);
const entry = table(Entry);
const posting = table(Posting);
const audit = table(AuditEntry);

const accountOf = (kind: 'chain' | 'suspense' | 'frozen' | 'receivable') =>
  systemAccount(kind, chain.environment, assetOf(chain.network, deposit.tokenContract));
const plus = deposit.amount;
const minus = sql`-${deposit.amount}`;

/** A deposit for an intent from a clean sender belongs to its merchant; any other is held until staff decide. */
function creditLegs() {
  const booking = lines('booking', [
    {
      prefix: sql`case when ${deposit.intentId} is null then 'suspense:' else 'deposit:' end`,
      kind: sql`case when ${deposit.intentId} is null then 'unattributed' else 'deposit' end`,
    },
  ]);
  const credited = sql`
    case when ${deposit.listedSenderId} is not null then ${accountOf('frozen')}
         when ${deposit.intentId} is null then ${accountOf('suspense')}
         else ${pocket.availableAccountId} end`;
  const leg = lines('leg', [
    { accountId: credited, amount: plus },
    { accountId: accountOf('chain'), amount: minus },
  ]);
  return sql`
    select 'deposit ' || ${deposit.id} ${as.text('fact')}, ${booking.prefix} || ${deposit.id} ${as.text('reference')},
           ${booking.kind.as('kind')}, ${leg.accountId.as('accountId')}, ${leg.amount.as('amount')}
      from ${deposit} join ${chain} on ${chain.id} = ${deposit.chainRef}
      left join ${pocket} on ${pocket.merchantId} = ${deposit.merchantId} and ${pocket.environment} = ${chain.environment}
       and ${pocket.network} = ${chain.network} and ${pocket.tokenContract} = ${deposit.tokenContract}
     cross join lateral ${define(booking)}
     cross join lateral ${define(leg)}
     where ${deposit.bookedAt} is not null`;
}

/** Each decision of staff moves the whole deposit, as its audit entry says; repeated decisions are numbered. */
function decisionLegs() {
  const decision = subselect(
    'decision',
    sql`select ${out(audit, 'action', 'subject', 'details')},
               row_number() over (partition by ${audit.subject}, ${audit.action} order by ${audit.id}) ${as.digits('time')}
          from ${audit}
         where ${audit.action} in ('deposit.resolve', 'deposit.release', 'deposit.reverse', 'deposit.restore')`,
  );
  const pocketNamedBy = (detail: 'pocket' | 'to') => sql`
    (select ${pocket.availableAccountId} from ${pocket} where ${pocket.id} = ${decision.details} ->> ${detail})`;
  const accountNamedBy = (detail: 'from' | 'to') => sql`
    case ${decision.details} ->> ${detail} when 'suspense' then ${accountOf('suspense')}
      when 'frozen' then ${accountOf('frozen')} when 'receivable' then ${accountOf('receivable')} end`;
  const released = sql`
    case ${decision.details} ->> 'to' when 'suspense' then ${accountOf('suspense')} else ${pocketNamedBy('to')} end`;
  const leg = lines('leg', [
    { action: 'deposit.resolve', kind: 'resolution', accountId: accountOf('suspense'), amount: minus },
    { action: 'deposit.resolve', kind: 'resolution', accountId: pocketNamedBy('pocket'), amount: plus },
    { action: 'deposit.release', kind: 'release', accountId: accountOf('frozen'), amount: minus },
    { action: 'deposit.release', kind: 'release', accountId: released, amount: plus },
    { action: 'deposit.reverse', kind: 'reversal', accountId: accountNamedBy('from'), amount: minus },
    { action: 'deposit.reverse', kind: 'reversal', accountId: accountOf('chain'), amount: plus },
    { action: 'deposit.restore', kind: 'restoration', accountId: accountOf('chain'), amount: minus },
    { action: 'deposit.restore', kind: 'restoration', accountId: accountNamedBy('to'), amount: plus },
  ]);
  return sql`
    select 'deposit ' || ${deposit.id} ${as.text('fact')},
           ${leg.kind} || ':' || ${deposit.id}
             || case when ${decision.time} > 1 then ':' || ${decision.time} else '' end ${as.text('reference')},
           ${leg.kind.as('kind')}, ${leg.accountId.as('accountId')}, ${leg.amount.as('amount')}
      from ${define(decision)}
      join ${deposit} on ${deposit.id} = ${decision.subject}
      join ${chain} on ${chain.id} = ${deposit.chainRef}
     cross join lateral ${define(leg)}
     where ${leg.action} = ${decision.action}`;
}

function heldElsewhere() {
  const sumOf = (kind: 'suspense' | 'frozen' | 'returning') =>
    sql`sum(${posting.amount}) filter (where ${account.kind} = ${kind})`;
  const lies = subselect(
    'lies',
    sql`select split_part(${entry.reference}, ':', 2) ${as.text('depositId')},
               ${sumOf('suspense')} ${as.digitsOrNull('inSuspense')}, ${sumOf('frozen')} ${as.digitsOrNull('frozen')},
               ${sumOf('returning')} ${as.digitsOrNull('returning')}
          from ${account} join ${posting} on ${posting.accountId} = ${account.id}
          join ${entry} on ${entry.id} = ${posting.entryId}
         where ${account.kind} in ('suspense', 'frozen', 'returning') group by 1`,
  );
  const { heldAs, amount } = deposit;
  return sql`
    select 'deposit ' || ${deposit.id} ${as.text('row')},
           format('is held as %s, and its entries leave %s in suspense, %s frozen and %s on its way',
                  coalesce(${heldAs}, 'nothing'), coalesce(${lies.inSuspense}, 0), coalesce(${lies.frozen}, 0),
                  coalesce(${lies.returning}, 0)) ${as.text('says')}
      from ${deposit}
      left join ${define(lies)} on ${lies.depositId} = ${deposit.id}
     where coalesce(${lies.inSuspense}, 0) <> case when ${heldAs} = 'suspense' then ${amount} else 0 end
        or coalesce(${lies.frozen}, 0) <> case when ${heldAs} in ('frozen', 'kept') then ${amount} else 0 end
        or coalesce(${lies.returning}, 0) <> case when ${heldAs} = 'returning' then ${amount} else 0 end
     order by ${deposit.id}`;
}

function undecidedReversals() {
  const times = (action: string) => sql`count(*) filter (where ${audit.action} = ${action})`;
  const done = subselect(
    'done',
    sql`select ${out(audit, 'subject')}, ${times('deposit.reverse')} ${as.digits('reversed')},
               ${times('deposit.restore')} ${as.digits('restored')}
          from ${audit} where ${audit.action} in ('deposit.reverse', 'deposit.restore') group by ${audit.subject}`,
  );
  const { reversedAt, restoredAt } = deposit;
  return sql`
    select 'deposit ' || ${deposit.id} ${as.text('row')},
           format('is %s, and staff reversed it %s and restored it %s times',
                  case when ${reversedAt} is null then 'not reversed' when ${restoredAt} is null then 'reversed'
                       else 'restored' end,
                  coalesce(${done.reversed}, 0), coalesce(${done.restored}, 0)) ${as.text('says')}
      from ${deposit}
      left join ${define(done)} on ${done.subject} = ${deposit.id}
     where (${reversedAt} is not null) <> (coalesce(${done.reversed}, 0) > 0)
        or (${reversedAt} is not null and ${restoredAt} is null)::int
             <> coalesce(${done.reversed}, 0) - coalesce(${done.restored}, 0)
     order by ${deposit.id}`;
}

/** Deposits against their entries, from the credit to the last decision of staff. */
export const DEPOSIT_BOOKING_CHECKS: readonly Check[] = [
  bookedExactly(
    'deposits_are_booked',
    'Every credited deposit is booked with its amount, once, to its merchant, to suspense or as frozen, and no other is.',
    ['deposit', 'unattributed'],
    creditLegs(),
  ),
  bookedExactly(
    'decisions_are_booked',
    'Every deposit that staff resolved, released, reversed or restored is booked so, and no other is.',
    ['resolution', 'release', 'reversal', 'restoration'],
    decisionLegs(),
  ),
  statementCheck('held_deposits_lie_there', 'A deposit is held in the account that its entries show.', heldElsewhere()),
  statementCheck(
    'reversals_are_decided',
    'A deposit is reversed when staff reversed it, and restored when they restored it as often.',
    undecidedReversals(),
  ),
];

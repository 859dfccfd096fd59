import { Chain } from '../../offers/chain.entity.js';
import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { AuditEntry } from '../../platform/audit-entry.entity.js';
import { as } from '../../platform/sql/as.js';
import { define, lines, subselect } from '../../platform/sql/relation.js';
import { keyOfShown } from '../../platform/sql/shown-address.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { Refund } from '../../suspense/refunds/refund.entity.js';
import { ChainTransaction } from '../../treasury/transactions/chain-transaction.entity.js';
import { type Check, statementCheck } from '../check.js';
import { assetOf, bookedExactly, systemAccount } from './booked-exactly.sql.js';
import { endsWithTransaction } from './ends-with-transaction.sql.js';

/** The kinds of a refund's entries. */
export const REFUND_ENTRY_KINDS = ['return', 'return_paid', 'return_undone'] as const;

const refund = table(Refund);
const other = table(Refund, 'other');
const deposit = table(Deposit);
const chain = table(Chain);
const audit = table(AuditEntry);
const sent = table(ChainTransaction);

function refundLegs() {
  const account = (kind: 'chain' | 'suspense' | 'returning') =>
    systemAccount(kind, chain.environment, assetOf(chain.network, deposit.tokenContract));
  const plus = deposit.amount;
  const minus = sql`-${deposit.amount}`;
  const leg = lines('leg', [
    { suffix: '', kind: 'return', accountId: account('suspense'), amount: minus },
    { suffix: '', kind: 'return', accountId: account('returning'), amount: plus },
    { suffix: ':paid', kind: 'return_paid', accountId: account('returning'), amount: minus },
    { suffix: ':paid', kind: 'return_paid', accountId: account('chain'), amount: plus },
    { suffix: ':undone', kind: 'return_undone', accountId: account('returning'), amount: minus },
    { suffix: ':undone', kind: 'return_undone', accountId: account('suspense'), amount: plus },
  ]);
  return sql`
    select 'deposit_return ' || ${refund.id} ${as.text('fact')},
           'return:' || ${deposit.id} || ':' || ${refund.id} || ${leg.suffix} ${as.text('reference')},
           ${leg.kind.as('kind')}, ${leg.accountId.as('accountId')}, ${leg.amount.as('amount')}
      from ${refund} join ${deposit} on ${deposit.id} = ${refund.depositId}
      join ${chain} on ${chain.id} = ${deposit.chainRef}
     cross join lateral ${define(leg)}
     where ${leg.suffix} = '' or (${refund.status}, ${leg.suffix}) in (('completed', ':paid'), ('failed', ':undone'))`;
}

/** Refunds against their entries: these explain every posting on the `returning` account. */
export const REFUNDS_ARE_BOOKED: Check = bookedExactly(
  'returns_are_booked',
  'A deposit leaves suspense when its refund is ordered, is booked out when that is paid, and is put back when that fails.',
  REFUND_ENTRY_KINDS,
  refundLegs(),
);

const ordered = subselect(
  'ordered',
  sql`select ${out(audit, 'subject')}, ${audit.details} ->> 'return' ${as.textOrNull('returnId')},
             count(*) ${as.digits('times')}, min(${audit.details} ->> 'to') ${as.textOrNull('destination')}
        from ${audit} where ${audit.action} = 'deposit.return' group by 1, 2`,
);
const paid = subselect(
  'paid',
  sql`select ${out(sent, 'purposeId')}, count(*) ${as.digits('times')}, min(${sent.minedHash}) ${as.textOrNull('minedHash')}
        from ${sent} where ${sent.purpose} = 'deposit_return' and ${sent.status} = 'succeeded' group by ${sent.purposeId}`,
);
const standing = subselect(
  'standing',
  sql`select ${out(other, 'depositId')}, count(*) filter (where ${other.status} <> 'failed') ${as.digits('times')}
        from ${other} group by ${other.depositId}`,
);

/** Refunds of unattributed deposits: ordered by staff, and paid once to the ordered address. */
export const REFUND_CHECKS: readonly Check[] = [
  statementCheck(
    'returns_are_ordered',
    'Staff ordered every refund once, to the address that it names.',
    sql`
      select coalesce('deposit_return ' || ${refund.id}, 'deposit ' || ${ordered.subject}) ${as.text('row')},
             format('goes to %s, and staff ordered it %s times, to %s', coalesce(${refund.destination}, 'nobody'),
                    coalesce(${ordered.times}, 0), coalesce(${ordered.destination}, 'nobody')) ${as.text('says')}
        from ${refund}
        full join ${define(ordered)} on ${ordered.returnId} = ${refund.id} and ${ordered.subject} = ${refund.depositId}
        left join ${deposit} on ${deposit.id} = ${refund.depositId}
        left join ${chain} on ${chain.id} = ${deposit.chainRef}
       where ${refund.id} is null or ${ordered.times} is distinct from 1
          or ${ordered.destination} <> ${refund.destination}
          or ${keyOfShown(chain.family, refund.destination)} <> ${refund.destinationKey}
       order by ${refund.id} nulls last, ${ordered.subject}`,
  ),
  statementCheck(
    'returns_are_paid_once',
    'A deposit has at most one successful refund transaction, the one that its completed refund names.',
    sql`
      select 'deposit_return ' || ${refund.id} ${as.text('row')},
             format('is %s and has %s transactions that paid, and its deposit has %s refunds that did not fail',
                    ${refund.status}, coalesce(${paid.times}, 0), ${standing.times}) ${as.text('says')}
        from ${refund}
        left join ${define(paid)} on ${paid.purposeId} = ${refund.id}
        join ${define(standing)} on ${standing.depositId} = ${refund.depositId}
       where coalesce(${paid.times}, 0) <> (${refund.status} = 'completed')::int
          or (${refund.status} = 'completed' and ${paid.minedHash} <> ${refund.txHash})
          or ${standing.times} > 1
       order by ${refund.id}`,
  ),
  endsWithTransaction(
    'deposit_return',
    'returns_end_with_their_transactions',
    'A refund is pending as long as its transaction; one whose transaction was superseded is unsigned, or has failed.',
  ),
];

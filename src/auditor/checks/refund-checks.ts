import { bookedExactly, systemAccount } from './booked-exactly.js';
import { type Check, statementCheck } from '../check.js';
import { endsWithTransaction } from './ends-with-transaction.js';

/** The kinds of a refund's entries. */
export const REFUND_ENTRY_KINDS = ['return', 'return_paid', 'return_undone'] as const;

const ASSET = `chain.network || ':' || lower(deposit.token_contract)`;
const account = (kind: 'chain' | 'suspense' | 'returning'): string => systemAccount(kind, 'chain.environment', ASSET);

const REFUND_LEGS = `
  select 'deposit_return ' || deposit_return.id as fact,
         'return:' || deposit.id || ':' || deposit_return.id || leg.suffix as reference, leg.kind, leg.account_id, leg.amount
    from deposit_return join deposit on deposit.id = deposit_return.deposit_id
    join chain on chain.id = deposit.chain_ref
   cross join lateral (values
     ('', 'return', ${account('suspense')}, -deposit.amount),
     ('', 'return', ${account('returning')}, deposit.amount),
     (':paid', 'return_paid', ${account('returning')}, -deposit.amount),
     (':paid', 'return_paid', ${account('chain')}, deposit.amount),
     (':undone', 'return_undone', ${account('returning')}, -deposit.amount),
     (':undone', 'return_undone', ${account('suspense')}, deposit.amount)) as leg (suffix, kind, account_id, amount)
   where leg.suffix = '' or (deposit_return.status, leg.suffix) in (('completed', ':paid'), ('failed', ':undone'))`;

/** Refunds against their entries: these explain every posting on the `returning` account. */
export const REFUNDS_ARE_BOOKED: Check = bookedExactly(
  'returns_are_booked',
  'A deposit leaves suspense when its refund is ordered, is booked out when that is paid, and is put back when that fails.',
  REFUND_ENTRY_KINDS,
  REFUND_LEGS,
);

/** Refunds of unattributed deposits: ordered by staff, and paid once to the ordered address. */
export const REFUND_CHECKS: readonly Check[] = [
  statementCheck(
    'returns_are_ordered',
    'Staff ordered every refund once, to the address that it names.',
    `select coalesce('deposit_return ' || deposit_return.id, 'deposit ' || ordered.subject) as row,
            format('goes to %s, and staff ordered it %s times, to %s', coalesce(deposit_return.destination, 'nobody'),
                   coalesce(ordered.times, 0), coalesce(ordered.destination, 'nobody')) as says
       from deposit_return
       full join (select subject, details ->> 'return' as return_id, count(*) as times,
                         min(details ->> 'to') as destination
                    from audit_entry where action = 'deposit.return' group by 1, 2) ordered
         on ordered.return_id = deposit_return.id and ordered.subject = deposit_return.deposit_id
      where deposit_return.id is null or ordered.times is distinct from 1
         or ordered.destination <> deposit_return.destination
         or lower(deposit_return.destination) <> deposit_return.destination_key
      order by deposit_return.id nulls last, ordered.subject`,
  ),
  statementCheck(
    'returns_are_paid_once',
    'A deposit has at most one successful refund transaction, the one that its completed refund names.',
    `select 'deposit_return ' || deposit_return.id as row,
            format('is %s and has %s transactions that paid, and its deposit has %s refunds that did not fail',
                   deposit_return.status, coalesce(paid.times, 0), standing.times) as says
       from deposit_return
       left join (select purpose_id, count(*) as times, min(mined_hash) as mined_hash from chain_transaction
                   where purpose = 'deposit_return' and status = 'succeeded' group by purpose_id) paid
         on paid.purpose_id = deposit_return.id
       join (select deposit_id, count(*) filter (where status <> 'failed') as times from deposit_return
              group by deposit_id) standing on standing.deposit_id = deposit_return.deposit_id
      where coalesce(paid.times, 0) <> (deposit_return.status = 'completed')::int
         or (deposit_return.status = 'completed' and paid.mined_hash <> deposit_return.tx_hash)
         or standing.times > 1
      order by deposit_return.id`,
  ),
  endsWithTransaction(
    'deposit_return',
    'returns_end_with_their_transactions',
    'A refund is pending as long as its transaction; one whose transaction was superseded is unsigned, or has failed.',
  ),
];

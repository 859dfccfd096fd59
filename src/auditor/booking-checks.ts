import { type Check, statementCheck } from './check.js';

/** The account of ours of this kind in an environment and asset (SQL). */
const ownAccount = (kind: string, environment: string, asset: string): string =>
  `(select account.id from account where account.kind = '${kind}' and account.merchant_id is null
      and account.environment = ${environment} and account.asset = ${asset})`;

/**
 * Compares the entries of some kinds with the facts behind them, leg by leg and in both directions: nothing that
 * happened is unbooked, and nothing is booked that did not happen.
 * @param expected a query for `fact` (its row), `reference`, `kind`, `account_id` and `amount` of every leg there must be
 */
function bookedExactly(name: string, rule: string, kinds: readonly string[], expected: string): Check {
  const ofKinds = kinds.map((kind) => `'${kind}'`).join(', ');
  return statementCheck(
    name,
    rule,
    `select coalesce(expected.fact, 'entry ' || booked.id) as row,
            case when booked.id is null
                 then format('should move %s on account %s, and no entry does', expected.amount, expected.account_id)
                 else format('should move %s on account %s, and entry %s (%s) moves %s', coalesce(expected.amount, 0),
                             booked.account_id, booked.id, booked.reference, booked.amount) end as says
       from (${expected}) expected
       full join (select entry.id, entry.reference, entry.kind, posting.account_id, posting.amount
                    from entry join posting on posting.entry_id = entry.id where entry.kind in (${ofKinds})) booked
         on booked.reference = expected.reference and booked.kind = expected.kind
        and booked.account_id = expected.account_id
      where booked.amount is distinct from expected.amount
      order by coalesce(expected.reference, booked.reference), expected.fact nulls last`,
  );
}

const DEPOSIT_LEGS = `
  select 'deposit ' || deposit.id as fact, 'deposit:' || deposit.id as reference, 'deposit' as kind, leg.account_id,
         leg.amount
    from deposit join chain on chain.id = deposit.chain_ref
    left join pocket on pocket.merchant_id = deposit.merchant_id and pocket.environment = chain.environment
     and pocket.network = chain.network and lower(pocket.token_contract) = lower(deposit.token_contract)
   cross join lateral (values
     (pocket.available_account_id, deposit.amount),
     (${ownAccount('chain', 'chain.environment', `chain.network || ':' || lower(deposit.token_contract)`)},
      -deposit.amount)) as leg (account_id, amount)
   where deposit.credited_at is not null`;

const WITHDRAWAL_LEGS = `
  select 'withdrawal ' || withdrawal.id as fact, 'withdrawal:' || withdrawal.id || leg.suffix as reference, leg.kind,
         leg.account_id, leg.amount
    from withdrawal join pocket on pocket.id = withdrawal.pocket_id
   cross join lateral (select withdrawal.amount + withdrawal.fee_amount as total,
                              pocket.network || ':' || lower(pocket.token_contract) as asset) due
   cross join lateral (values
     ('', 'withdrawal', pocket.available_account_id, -due.total),
     ('', 'withdrawal', pocket.held_account_id, due.total),
     (':paid', 'withdrawal_paid', pocket.held_account_id, -due.total),
     (':paid', 'withdrawal_paid', ${ownAccount('chain', 'pocket.environment', 'due.asset')}, withdrawal.amount),
     (':paid', 'withdrawal_paid', ${ownAccount('fee_income', 'pocket.environment', 'due.asset')},
      withdrawal.fee_amount),
     (':refund', 'withdrawal_refund', pocket.held_account_id, -due.total),
     (':refund', 'withdrawal_refund', pocket.available_account_id, due.total))
       as leg (suffix, kind, account_id, amount)
   where leg.suffix = '' or (withdrawal.status, leg.suffix) in (('completed', ':paid'), ('failed', ':refund'))`;

const GAS_LEGS = `
  select 'chain_transaction ' || sent.id as fact, 'gas:' || sent.id as reference, 'network_fee' as kind, leg.account_id,
         leg.amount
    from chain_transaction sent join chain on chain.id = sent.chain_ref
   cross join lateral (values
     (${ownAccount('chain', 'chain.environment', `chain.network || ':native'`)}, sent.fee_paid),
     (${ownAccount('network_fees', 'chain.environment', `chain.network || ':native'`)}, -sent.fee_paid))
       as leg (account_id, amount)
   where sent.fee_paid > 0`;

/** What the entries say against what happened: together these explain every posting (invariants D1, D2, W6). */
export const BOOKING_CHECKS: readonly Check[] = [
  statementCheck(
    'kinds_are_known',
    'Every entry is of a kind that something that happened makes.',
    `select 'entry ' || id as row, format('is of the kind %s', kind) as says from entry
      where kind not in ('deposit', 'withdrawal', 'withdrawal_paid', 'withdrawal_refund', 'network_fee') order by id`,
  ),
  bookedExactly(
    'deposits_are_booked',
    'Every credited deposit is booked to its merchant with its amount, once, and nothing else is booked as a deposit.',
    ['deposit'],
    DEPOSIT_LEGS,
  ),
  bookedExactly(
    'withdrawals_are_booked',
    'Amount and fee of a withdrawal are held at its order, let go once it is paid, and given back once it failed.',
    ['withdrawal', 'withdrawal_paid', 'withdrawal_refund'],
    WITHDRAWAL_LEGS,
  ),
  bookedExactly(
    'gas_is_booked',
    'The gas of every mined transaction is booked as it was paid, and no other gas is.',
    ['network_fee'],
    GAS_LEGS,
  ),
];

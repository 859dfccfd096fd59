import { textList } from '../../platform/database/text-list.js';
import { type Check, statementCheck } from '../check.js';

/** Returns SQL for the system account of this kind in an environment and asset. */
export const systemAccount = (kind: string, environment: string, asset: string): string =>
  `(select account.id from account where account.kind = '${kind}' and account.merchant_id is null
      and account.environment = ${environment} and account.asset = ${asset})`;

/**
 * Compares the entries of some kinds with the facts behind them, leg by leg and in both directions: every fact is booked,
 * and every entry has a fact.
 * @param expected A query for `fact` (its row), `reference`, `kind`, `account_id` and `amount` of every required leg.
 */
export function bookedExactly(name: string, rule: string, kinds: readonly string[], expected: string): Check {
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
                    from entry join posting on posting.entry_id = entry.id where entry.kind in ${textList(kinds)}) booked
         on booked.reference = expected.reference and booked.kind = expected.kind
        and booked.account_id = expected.account_id
      where booked.amount is distinct from expected.amount
      order by coalesce(expected.reference, booked.reference), expected.fact nulls last`,
  );
}

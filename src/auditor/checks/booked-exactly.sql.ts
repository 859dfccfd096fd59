import { Account, type SystemAccountKind } from '../../ledger/account.entity.js';
import { Entry, type EntryKind } from '../../ledger/entry.entity.js';
import { Posting } from '../../ledger/posting.entity.js';
import { as } from '../../platform/sql/as.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql, type SqlText, type Statement } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { type Check, statementCheck } from '../check.js';

const account = table(Account);
const entry = table(Entry);
const posting = table(Posting);

/** A required leg of an entry, with the row that is the fact behind it. */
type ExpectedLeg = Readonly<Record<'fact' | 'reference' | 'kind' | 'accountId' | 'amount', unknown>>;

/** Selects the system account of this kind in an environment and asset. */
export const systemAccount = (kind: SystemAccountKind, environment: SqlText, asset: SqlText) => sql`
  (select ${account.id} from ${account} where ${account.kind} = ${kind} and ${account.merchantId} is null
      and ${account.environment} = ${environment} and ${account.asset} = ${asset})`;

/** Returns the asset of a token on a network. */
export const assetOf = (network: SqlText, tokenContract: SqlText) => sql`${network} || ':' || ${tokenContract}`;

/**
 * Compares the entries of some kinds with the facts behind them, leg by leg and in both directions: every fact is booked,
 * and every entry has a fact.
 */
export function bookedExactly(
  name: string,
  rule: string,
  kinds: readonly EntryKind[],
  legs: Statement<ExpectedLeg>,
): Check {
  const expected = subselect('expected', legs);
  const booked = subselect(
    'booked',
    sql`select ${out(entry, 'id', 'reference', 'kind')}, ${out(posting, 'accountId', 'amount')}
          from ${entry} join ${posting} on ${posting.entryId} = ${entry.id} where ${entry.kind} = any(${kinds}::text[])`,
  );
  return statementCheck(
    name,
    rule,
    sql`
      select coalesce(${expected.fact}, 'entry ' || ${booked.id}) ${as.text('row')},
             case when ${booked.id} is null
                  then format('should move %s on account %s, and no entry does', ${expected.amount}, ${expected.accountId})
                  else format('should move %s on account %s, and entry %s (%s) moves %s', coalesce(${expected.amount}, 0),
                              ${booked.accountId}, ${booked.id}, ${booked.reference}, ${booked.amount}) end ${as.text('says')}
        from ${define(expected)}
        full join ${define(booked)}
          on ${booked.reference} = ${expected.reference} and ${booked.kind} = ${expected.kind}
         and ${booked.accountId} = ${expected.accountId}
       where ${booked.amount} is distinct from ${expected.amount}
       order by coalesce(${expected.reference}, ${booked.reference}), ${expected.fact} nulls last`,
  );
}

import { Account } from '../../ledger/account.entity.js';
import { Entry } from '../../ledger/entry.entity.js';
import { Pocket } from '../../ledger/pocket.entity.js';
import { Posting } from '../../ledger/posting.entity.js';
import { as } from '../../platform/sql/as.js';
import { define, lines, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { statementCheck } from '../check.js';

const account = table(Account);
const entry = table(Entry);
const pocket = table(Pocket);
const posting = table(Posting);

const posted = subselect(
  'posted',
  sql`select ${out(posting, 'accountId')}, sum(${posting.amount}) ${as.digits('total')} from ${posting}
       group by ${posting.accountId}`,
);
const used = lines('used', [
  { kind: 'pocket_available', accountId: pocket.availableAccountId },
  { kind: 'pocket_held', accountId: pocket.heldAccountId },
]);

/** The rules of double entry that triggers enforce, checked again in case a trigger was disabled. */
export const LEDGER_CHECKS = [
  statementCheck(
    'entries_have_postings',
    'Every entry moves something.',
    sql`
      select 'entry ' || ${entry.id} ${as.text('row')}, 'has no postings' ${as.text('says')} from ${entry}
       where not exists (select from ${posting} where ${posting.entryId} = ${entry.id}) order by ${entry.id}`,
  ),
  statementCheck(
    'entries_balance',
    'The postings of an entry sum to zero for each asset.',
    sql`
      select 'entry ' || ${posting.entryId} ${as.text('row')},
             format('leaves %s of %s unexplained', sum(${posting.amount}), ${posting.asset}) ${as.text('says')}
        from ${posting} group by ${posting.entryId}, ${posting.asset} having sum(${posting.amount}) <> 0
       order by ${posting.entryId}`,
  ),
  statementCheck(
    'postings_fit_accounts',
    'A posting is in the asset and environment of its account.',
    sql`
      select 'posting ' || ${posting.id} ${as.text('row')},
             format('is not in the asset of account %s', ${posting.accountId}) ${as.text('says')}
        from ${posting} left join ${account}
          on (${account.id}, ${account.asset}, ${account.environment})
           = (${posting.accountId}, ${posting.asset}, ${posting.environment})
       where ${account.id} is null order by ${posting.id}`,
  ),
  statementCheck(
    'balances_are_sums',
    'The balance of a pocket or a holding account is the sum of its postings, and never below zero.',
    sql`
      select 'account ' || ${account.id} ${as.text('row')},
             format('has %s, and its postings sum to %s', coalesce('the balance ' || ${account.balance}, 'no balance'),
                    coalesce(${posted.total}, 0)) ${as.text('says')},
             coalesce(nullif(${account.balance} - coalesce(${posted.total}, 0), 0),
                      ${account.balance}) ${as.digitsOrNull('gap')}
        from ${account}
        left join ${define(posted)} on ${posted.accountId} = ${account.id}
       where ${account.balance} <> coalesce(${posted.total}, 0) or ${account.balance} < 0
          or (${account.balance} is null
              and ${account.kind} in ('pocket_available', 'pocket_held', 'suspense', 'frozen', 'returning'))
       order by ${account.id}`,
  ),
  statementCheck(
    'pockets_own_accounts',
    'The accounts of a pocket belong to its merchant, in its asset and environment.',
    sql`
      select 'pocket ' || ${pocket.id} ${as.text('row')},
             format('uses account %s, which is not its own', ${account.id}) ${as.text('says')}
        from ${pocket}
       cross join lateral ${define(used)}
        left join ${account} on ${account.id} = ${used.accountId}
       where (${account.kind}, ${account.merchantId}, ${account.environment}, ${account.asset})
         is distinct from
          (${used.kind}, ${pocket.merchantId}, ${pocket.environment},
           ${pocket.network} || ':' || ${pocket.tokenContract})
       order by ${pocket.id}`,
  ),
] as const;

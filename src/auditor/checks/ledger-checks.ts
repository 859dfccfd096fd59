import { statementCheck } from '../check.js';

/** The rules of double entry that triggers enforce, checked again in case a trigger was disabled. */
export const LEDGER_CHECKS = [
  statementCheck(
    'entries_have_postings',
    'Every entry moves something.',
    `select 'entry ' || id as row, 'has no postings' as says from entry
      where not exists (select from posting where entry_id = entry.id) order by id`,
  ),
  statementCheck(
    'entries_balance',
    'The postings of an entry sum to zero for each asset.',
    `select 'entry ' || entry_id as row, format('leaves %s of %s unexplained', sum(amount), asset) as says
       from posting group by entry_id, asset having sum(amount) <> 0 order by entry_id`,
  ),
  statementCheck(
    'postings_fit_accounts',
    'A posting is in the asset and environment of its account.',
    `select 'posting ' || posting.id as row, format('is not in the asset of account %s', posting.account_id) as says
       from posting left join account
         on (account.id, account.asset, account.environment)
          = (posting.account_id, posting.asset, posting.environment)
      where account.id is null order by posting.id`,
  ),
  statementCheck(
    'balances_are_sums',
    'The balance of a pocket or a holding account is the sum of its postings, and never below zero.',
    `select 'account ' || account.id as row,
            format('has %s, and its postings sum to %s', coalesce('the balance ' || account.balance, 'no balance'),
                   coalesce(posted.total, 0)) as says,
            coalesce(nullif(account.balance - coalesce(posted.total, 0), 0), account.balance) as gap
       from account
       left join (select account_id, sum(amount) as total from posting group by account_id) posted
         on posted.account_id = account.id
      where account.balance <> coalesce(posted.total, 0) or account.balance < 0
         or (account.balance is null
             and account.kind in ('pocket_available', 'pocket_held', 'suspense', 'frozen', 'returning'))
      order by account.id`,
  ),
  statementCheck(
    'pockets_own_accounts',
    'The accounts of a pocket belong to its merchant, in its asset and environment.',
    `select 'pocket ' || pocket.id as row, format('uses account %s, which is not its own', account.id) as says
       from pocket
       cross join lateral (values ('pocket_available', available_account_id), ('pocket_held', held_account_id))
         as used (kind, account_id)
       left join account on account.id = used.account_id
      where (account.kind, account.merchant_id, account.environment, lower(account.asset))
        is distinct from
         (used.kind, pocket.merchant_id, pocket.environment, lower(pocket.network || ':' || pocket.token_contract))
      order by pocket.id`,
  ),
] as const;

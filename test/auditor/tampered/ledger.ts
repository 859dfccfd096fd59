import type { NamingCase } from '../tampering.js';

/** Accounts, pockets and postings. */
export const TAMPERED_LEDGER: readonly NamingCase[] = [
  [
    'an account whose balance was changed',
    `update account set balance = balance + 1 from pocket
      where account.id = pocket.available_account_id and pocket.token = 'USDC' and network = 'polygon'
      returning 'account ' || account.id as row`,
    'balances_are_sums',
  ],
  [
    'money that is held for nothing',
    `update withdrawal set pocket_id = 'pkt_other' where status = 'broadcasting'
     returning (select 'pocket ' || id from pocket where id = (select pocket_id from withdrawal where status = 'completed')) as row`,
    'held_is_on_its_way',
  ],
  [
    'a pocket that uses the account of another',
    `update pocket set available_account_id = held_account_id
      where token = 'USDC' and network = 'polygon' returning 'pocket ' || id as row`,
    'pockets_own_accounts',
  ],
  [
    'a posting in another asset than its account',
    `update posting set asset = 'polygon:0xother' where id = (select max(id) from posting)
     returning 'posting ' || id as row`,
    'postings_fit_accounts',
  ],
  [
    'money from nothing, in an entry that balances',
    `with gift as (insert into entry (id, reference, kind, content_hash)
                   values ('ent_gift', 'gift:1', 'gift', 'x') returning id),
          legs as (insert into posting (entry_id, account_id, asset, environment, amount)
                   select gift.id, account.id, account.asset, account.environment,
                          case kind when 'chain' then -500 else 500 end
                     from gift, account where asset = (select asset from account where kind = 'chain' limit 1)
                      and kind in ('chain', 'pocket_available'))
     select 'entry ' || id as row from gift`,
    'kinds_are_known',
  ],
  [
    'funds of the ledger that are in no place',
    `update posting set amount = amount * 2
      where entry_id = (select id from entry where reference like 'deposit:%' order by id limit 1)
     returning 'account ' || (select account_id from posting other join account on account.id = account_id
                               where other.entry_id = posting.entry_id and kind = 'chain') as row`,
    'chain_owes_what_lies_there',
  ],
  [
    'funds on a deposit address that are not in the ledger',
    `update deposit_balance set received = received + 1 where address_id = (select min(address_id) from deposit_balance)
     returning 'account ' || (select account.id from account join chain using (environment)
                               where kind = 'chain' and chain.id = chain_ref
                                 and asset = network || ':' || lower(token_contract)) as row`,
    'chain_owes_what_lies_there',
  ],
];

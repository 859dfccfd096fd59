import type { NamingCase } from '../tampering.js';

/** Top-ups of a hot wallet, and its comparisons with the books. */
export const TAMPERED_HOT_WALLETS: readonly NamingCase[] = [
  [
    'a top-up of another amount',
    `update top_up set amount = amount + 1 where id = (select min(id) from top_up) returning 'top_up ' || id as row`,
    'top_ups_are_booked',
  ],
  [
    'a top-up that was deleted',
    `delete from top_up where id = (select min(id) from top_up)
     returning (select 'entry ' || entry.id from entry where reference = 'top_up:' || top_up.id) as row`,
    'top_ups_are_booked',
  ],
  [
    'a top-up that is booked twice',
    `with again as (insert into entry (id, reference, kind, content_hash)
                    select 'ent_again', 'top_up', kind, 'x' from entry where kind = 'top_up' limit 1 returning id),
          legs as (insert into posting (entry_id, account_id, asset, environment, amount)
                   select again.id, account_id, asset, environment, amount from again, posting
                    where entry_id = (select id from entry where kind = 'top_up' limit 1))
     select 'entry ' || id as row from again`,
    'top_ups_are_booked',
  ],
  [
    'a hot wallet with more in the books than it received',
    `update stocktaking set booked = booked + 1 where token_contract = 'native' and booked > 0
     returning 'stocktaking ' || chain_ref || '/' || token_contract as row`,
    'stocktakings_add_up',
  ],
  [
    'a hot wallet that was compared before a transaction had finished',
    `update stocktaking set booked_nonce = booked_nonce - 1 where booked_nonce > 0 and token_contract = 'native'
     returning 'stocktaking ' || chain_ref || '/' || token_contract as row`,
    'stocktakings_add_up',
  ],
  [
    'a hot wallet with missing funds',
    `update stocktaking set missing = 1 where token_contract = 'native' and booked > 0
     returning 'stocktaking ' || chain_ref || '/' || token_contract as row`,
    'hot_wallets_lack_nothing',
  ],
];

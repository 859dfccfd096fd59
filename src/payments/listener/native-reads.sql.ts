import { NATIVE_COIN } from '../../domain/network.js';
import { COMES_BACK_WITHIN } from '../deposits/reorged-deposit.sql.js';
import { OPEN_STATUSES, TERMINAL_STATUSES } from '../../domain/intent-state.js';
import { textList } from '../../platform/database/text-list.js';

/** Above the id of every address. */
const ABOVE_ALL_IDS = String(2n ** 63n - 1n);

/**
 * The intents of the chain $1 above the id $2 that are to be paid in its coin, or ended within the hour (people pay
 * late); at most $3, by id, each with its address.
 *
 * Every step waits for it, so no plan may read all intents or addresses: open intents come from an index in this order,
 * ended ones are gathered first, and the addresses of the result are looked up one by one. In a plain join the planner
 * may begin with all addresses in the order of their ids, in the hope of $3 early matches.
 */
export const WAITING_STATEMENT = `
  with ended as materialized (
    select id from payment_intent
     where chain_ref = $1 and token_contract = '${NATIVE_COIN}'
       and status in ${textList(TERMINAL_STATUSES)} and updated_at > now() - interval '1 hour'
  ), intent as materialized (
    select id from (
      (select id from payment_intent
        where chain_ref = $1 and token_contract = '${NATIVE_COIN}'
          and status in ${textList(OPEN_STATUSES)} and id > $2
        order by id limit $3)
      union all
      select id from ended where id > $2) either
     order by id limit $3
  )
  select intent.id as intent_id, address.address_key
    from intent
   cross join lateral (select address_key from pool_address where intent_id = intent.id limit 1) address
   order by intent.id`;

/** The next $3 addresses of an environment $1 and family $2 in the round of the chain $4, newest first. */
export const ROUND_STATEMENT = `
  select id, address_key from pool_address
   where environment = $1 and family = $2
     and id < coalesce((select native_round_below from chain_cursor where chain_ref = $4), ${ABOVE_ALL_IDS})
   order by id desc limit $3`;

/** Whether a payment in the coin of the chain $1 was reorged and may come back. */
export const AWAITED_COINS_STATEMENT = `
  select from deposit
   where chain_ref = $1 and gone_at is not null and token_contract = '${NATIVE_COIN}'
     and (reversed_at is null or reversed_at > now() - ${COMES_BACK_WITHIN}) limit 1`;

/** When an intent ended, or infinity while it is open: the expression of the index payment_intent_recent. */
const ENDED_AT = `(case when status in ${textList(OPEN_STATUSES)}
  then 'infinity'::timestamptz else updated_at end)`;

/** A place in the order of `RECENT_STATEMENT`. */
export interface RecentPlace {
  /** As PostgreSQL writes it. */
  readonly ended_at: string;
  readonly id: string;
}

/** Before the first intent of `RECENT_STATEMENT`: the ids of intents begin with `pi_`. */
export const BEFORE_ALL_RECENT: RecentPlace = { ended_at: 'infinity', id: 'pj' };

/** Intents of a page of `RECENT_STATEMENT`. */
export const RECENT_PAGE = 1_000;

/**
 * The next intents of an environment $1 and its networks $2 after the place ($3, $4) that are open or ended within a
 * day, each with its address. Open ones come first: an intent that ends during a round moves to where the round has not
 * been yet, so none is skipped. The limit is no parameter: a plan for any limit would sort all remaining rows.
 */
export const RECENT_STATEMENT = `
  select intent.id, intent.ended_at::text as ended_at, address.address_key
    from (
      select id, ${ENDED_AT} as ended_at from payment_intent
       where environment = $1 and address is not null and network = any($2)
         and (${ENDED_AT}, id) < ($3::timestamptz, $4) and ${ENDED_AT} > now() - interval '1 day'
       order by ${ENDED_AT} desc, id desc limit ${RECENT_PAGE}) intent
    left join lateral (select address_key from pool_address where intent_id = intent.id limit 1) address on true
   order by intent.ended_at desc, intent.id desc`;

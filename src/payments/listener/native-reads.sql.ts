import { OPEN_STATUSES, TERMINAL_STATUSES } from '../../domain/intent-state.js';
import type { Environment } from '../../domain/network.js';
import { ChainCursor } from '../../offers/chain-cursor.entity.js';
import { textList } from '../../platform/database/text-list.js';
import { as } from '../../platform/sql/as.js';
import { bigintMax } from '../../platform/sql/bigint-max.js';
import { define, relation, subselect } from '../../platform/sql/relation.js';
import { literal, raw, type RowOf, sql, type SqlText } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { PoolAddress } from '../addresses/pool-address.entity.js';
import type { Pool } from '../addresses/pool-addresses.sql.js';
import { Deposit } from '../deposits/deposit.entity.js';
import { nativeCoin } from '../deposits/native-coin.sql.js';
import { comesBackWithin } from '../deposits/reorged-deposit.sql.js';
import { PaymentIntent } from '../intents/payment-intent.entity.js';

const intent = table(PaymentIntent);
const address = table(PoolAddress);
const cursor = table(ChainCursor);
const deposit = table(Deposit);

const openStatuses = raw(textList(OPEN_STATUSES));
const terminalStatuses = raw(textList(TERMINAL_STATUSES));

const addressOf = (intentId: SqlText) => sql`
  select ${out(address, 'addressKey')} from ${address} where ${address.intentId} = ${intentId} limit 1`;
const its = subselect('its', addressOf);

const paidInCoin = (chainRef: string) => sql`
  ${intent.chainRef} = ${chainRef} and ${intent.tokenContract} = ${nativeCoin}`;

const endedLately = (chainRef: string) => sql`
  select ${out(intent, 'id')} from ${intent}
   where ${paidInCoin(chainRef)}
     and ${intent.status} in ${terminalStatuses} and ${intent.updatedAt} > now() - interval '1 hour'`;
const ended = relation<RowOf<typeof endedLately>>('ended');

const openAbove = (chainRef: string, above: string, limit: number) => sql`
  select ${out(intent, 'id')} from ${intent}
   where ${paidInCoin(chainRef)} and ${intent.status} in ${openStatuses} and ${intent.id} > ${above}
   order by ${intent.id} limit ${limit}`;
const either = relation<RowOf<typeof openAbove>>('either');
const chosen = relation<RowOf<typeof openAbove>>('chosen');

/**
 * Finds the intents of a chain above an id that are to be paid in its coin, or ended within the hour (people pay late), by
 * id, each with its address.
 *
 * Every step waits for it, so no plan may read all intents or addresses: open intents come from an index in this order,
 * ended ones are gathered first, and the addresses of the result are looked up one by one. In a plain join the planner
 * may begin with all addresses in the order of their ids, in the hope of early matches.
 */
export const findWaiting = (chainRef: string, above: string, limit: number) => sql`
  with ${ended} as materialized (${endedLately(chainRef)}),
  ${chosen} as materialized (
    select ${either.id.as('id')}
      from ((${openAbove(chainRef, above, limit)})
            union all
            select ${ended.id} from ${ended} where ${ended.id} > ${above}) ${either}
     order by ${either.id} limit ${limit}
  )
  select ${chosen.id.as('intentId')}, ${its.addressKey.as('addressKey')}
    from ${chosen} cross join lateral ${define(its, chosen.id)}
   order by ${chosen.id}`;

/** Finds the next addresses in the round of a chain, newest first. */
export const nextOfRound = ({ environment, family }: Pool, chainRef: string, limit: number) => sql`
  select ${out(address, 'id', 'addressKey')} from ${address}
   where ${address.environment} = ${environment} and ${address.family} = ${family}
     and ${address.id} < coalesce(
       (select ${cursor.nativeRoundBelow} from ${cursor} where ${cursor.chainRef} = ${chainRef}), ${bigintMax})
   order by ${address.id} desc limit ${limit}`;

/** Finds one payment in the coin of a chain that was reorged and may come back. */
export const findAwaitedCoins = (chainRef: string) => sql`
  select from ${deposit}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.goneAt} is not null and ${deposit.tokenContract} = ${nativeCoin}
     and (${deposit.reversedAt} is null or ${deposit.reversedAt} > now() - ${comesBackWithin}) limit 1`;

/** When an intent ended, or infinity while it is open: the expression of the index payment_intent_recent. */
const endedAt = sql`
  (case when ${intent.status} in ${openStatuses} then 'infinity'::timestamptz else ${intent.updatedAt} end)`;

/** A place in the order of `nextRecent`. */
export interface RecentPlace {
  /** As PostgreSQL writes it. */
  readonly endedAt: string;
  readonly id: string;
}

/** Before the first intent of `nextRecent`: the ids of intents begin with `pi_`. */
export const BEFORE_ALL_RECENT: RecentPlace = { endedAt: 'infinity', id: 'pj' };

/** Intents of a page of `nextRecent`. */
export const RECENT_PAGE = 1_000;

// The limit is no parameter: a plan for any limit would sort all remaining rows.
const recentAfter = (environment: Environment, networks: readonly string[], place: RecentPlace) => sql`
  select ${out(intent, 'id')}, ${endedAt} ${as.time('endedAt')} from ${intent}
   where ${intent.environment} = ${environment} and ${intent.address} is not null and ${intent.network} = any(${networks})
     and (${endedAt}, ${intent.id}) < (${place.endedAt}::timestamptz, ${place.id})
     and ${endedAt} > now() - interval '1 day'
   order by ${endedAt} desc, ${intent.id} desc limit ${literal(RECENT_PAGE)}`;
const recent = subselect('recent', recentAfter);

/**
 * Finds the next intents of an environment and its networks after a place that are open or ended within a day, each with
 * its address. Open ones come first: an intent that ends during a round moves to where the round has not been yet, so none
 * is skipped.
 */
export const nextRecent = (environment: Environment, networks: readonly string[], place: RecentPlace) => sql`
  select ${recent.id.as('id')}, ${recent.endedAt}::text ${as.text('endedAt')}, ${its.addressKey.asOrNull('addressKey')}
    from ${define(recent, environment, networks, place)}
    left join lateral ${define(its, recent.id)} on true
   order by ${recent.endedAt} desc, ${recent.id} desc`;

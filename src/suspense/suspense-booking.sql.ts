import { Chain } from '../offers/chain.entity.js';
import { Deposit, type DepositHolding } from '../payments/deposits/deposit.entity.js';
import { as } from '../platform/sql/as.js';
import { given, unnest } from '../platform/sql/given.js';
import { sql } from '../platform/sql/sql.js';
import { out, set, table } from '../platform/sql/table.js';

/** Where an unattributed deposit is booked first. */
export type BookedHolding = Extract<DepositHolding, 'suspense' | 'frozen'>;

const deposit = table(Deposit);
const chain = table(Chain);
const fact = given('fact', { id: 'text', holding: 'text' });

/** Final, on the chain, without an intent, and not booked. */
const isUnbooked = sql`
  ${deposit.status} = 'confirmed' and ${deposit.intentId} is null and ${deposit.bookedAt} is null
    and ${deposit.goneAt} is null`;

/** Finds the next unbooked deposits above an id. */
export const nextUnbooked = (above: string, limit: number) => sql`
  select ${out(deposit, 'id')} from ${deposit}
   where ${isUnbooked} and ${deposit.id} > ${above} order by ${deposit.id} limit ${limit}`;

/** Locks those of the deposits that are unbooked still; another process books those that it has locked. */
export const lockUnbooked = (ids: readonly string[]) => sql`
  select ${out(deposit, 'id', 'amount', 'tokenContract')}, ${out(chain, 'environment', 'network')},
         case when ${deposit.listedSenderId} is null then 'suspense' else 'frozen' end ${as.textOf<BookedHolding>()('holding')}
    from ${deposit} join ${chain} on ${chain.id} = ${deposit.chainRef}
   where ${deposit.id} = any(${ids}) and ${isUnbooked}
   order by ${deposit.id} for no key update of ${deposit} skip locked`;

/** Marks deposits as booked, each with its holding. */
export const markBooked = (facts: readonly { readonly id: string; readonly holding: BookedHolding }[]) => sql`
  update ${deposit} set ${set(deposit, { bookedAt: sql`now()`, heldAs: fact.holding })}
    from ${unnest(fact, facts)} where ${deposit.id} = ${fact.id}`;

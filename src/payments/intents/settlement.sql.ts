import { type IntentOutcome, OPEN_STATUSES } from '../../domain/intent-state.js';
import { Event } from '../../events/event.entity.js';
import { ChainCursor } from '../../offers/chain-cursor.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { ChainToken } from '../../offers/chain-token.entity.js';
import { textList } from '../../platform/database/text-list.js';
import { as } from '../../platform/sql/as.js';
import { given, unnest } from '../../platform/sql/given.js';
import { cte, define } from '../../platform/sql/relation.js';
import { raw, sql } from '../../platform/sql/sql.js';
import { every, out, set, table } from '../../platform/sql/table.js';
import { PoolAddress } from '../addresses/pool-address.entity.js';
import { Deposit } from '../deposits/deposit.entity.js';
import { nativeCoin } from '../deposits/native-coin.sql.js';
import { CreditedAccount } from '../listener/accounts/credited-account.entity.js';
import { UnexplainedBalance } from '../listener/accounts/unexplained-balance.entity.js';
import { WatchedAccount } from '../listener/accounts/watched-account.entity.js';
import { CountedOnHold } from './counted-on-hold.entity.js';
import { DirtyIntent } from './dirty-intent.entity.js';
import { PaymentIntent } from './payment-intent.entity.js';

const intent = table(PaymentIntent);
const mark = table(DirtyIntent);
const deposit = table(Deposit);
const counted = table(CountedOnHold);
const chain = table(Chain);
const cursor = table(ChainCursor);
const token = table(ChainToken);
const event = table(Event);
const address = table(PoolAddress);
const watched = table(WatchedAccount);
const credited = table(CreditedAccount);
const unexplained = table(UnexplainedBalance);
const fact = given('fact', { id: 'text', late: 'boolean', isBooked: 'boolean' });
const fold = given('fold', {
  id: 'text',
  status: 'text',
  failure: 'text',
  receivedUnits: 'numeric',
  receivedCents: 'bigint',
  overpaidCents: 'bigint',
  acceptedShortfallCents: 'bigint',
  awaitsStaff: 'boolean',
  isDue: 'boolean',
  isChange: 'boolean',
});

/**
 * An intent that is due without an outcome is settled again after a tenth of the time it has waited, within these
 * bounds.
 */
const RECHECK_MIN_SECONDS = 1;
const RECHECK_MAX_SECONDS = 30;

/** A transaction over many intents does not wait longer for a lock. */
const LOCKS_WITHIN_MS = 500;

const isOpenAndDue = sql`${intent.status} in ${raw(textList(OPEN_STATUSES))} and ${intent.dueAt} <= now()`;

/** Reads open intents that are due, the longest due first; one in quarantine waits for a new fact. */
export const dueIntents = (limit: number) => sql`
  select ${out(intent, 'id')} from ${intent}
   where ${isOpenAndDue}
     and not exists (select from ${mark} where ${mark.intentId} = ${intent.id} and ${mark.quarantinedAt} is not null)
   order by ${intent.dueAt} limit ${limit}`;

const isUnsettled = sql`${mark.quarantinedAt} is null and (${mark.intentId} is not null or (${isOpenAndDue}))`;

/** Finds those of these intents that are marked or due, and not in quarantine. */
export const findUnsettled = (ids: readonly string[]) => sql`
  select ${out(intent, 'id')} from ${intent} left join ${mark} on ${mark.intentId} = ${intent.id}
   where ${intent.id} = any(${ids}) and ${isUnsettled}`;

const impatient = cte('impatient', sql`select set_config('lock_timeout', ${`${LOCKS_WITHIN_MS}ms`}, true)`);

/**
 * Locks the intents that `findUnsettled` finds, except those that are locked already. Also reads the time. The transaction
 * fails with 55P03 when a later lock takes longer than `LOCKS_WITHIN_MS`: meanwhile others would wait for all of these intents.
 */
export const lockIdleUnsettled = (ids: readonly string[]) => sql`
  with ${define(impatient)}
  select ${every(intent)}, clock_timestamp() ${as.time('now')}
    from ${intent} left join ${mark} on ${mark.intentId} = ${intent.id}
   where ${intent.id} = any(${ids}) and ${isUnsettled} and exists (select from ${impatient})
   order by ${intent.id} for no key update of ${intent} skip locked`;

/**
 * Reads how far the chains of intents are recorded, in their coin as far as the balances were read. While one `isDoubted`, any
 * node may be missing a payment. `hasUnexplained` is true while an account of the intent's address holds funds whose
 * transaction is missing. An intent without a chain has no row.
 */
export const findChainProgress = (intentIds: readonly string[]) => sql`
  select ${intent.id.as('intentId')}, ${out(chain, 'chainId', 'confirmations', 'active', 'quietGraceMs')},
         ${out(cursor, 'headHeight', 'syncedAt')},
         case when ${intent.tokenContract} = ${nativeCoin} then least(${cursor.blockTime}, ${cursor.coinsReadTo})
              else ${cursor.blockTime} end ${as.time('blockTime')}, ${cursor.finalityDoubt} is not null ${as.boolean('isDoubted')},
         (exists (select from ${unexplained}
                    join ${watched} on ${watched.chainRef} = ${unexplained.chainRef} and ${watched.account} = ${unexplained.account}
                    join ${address} on ${address.id} = ${watched.addressId}
                   where ${unexplained.chainRef} = ${chain.id} and ${address.intentId} = ${intent.id})
          or exists (select from ${unexplained}
                       join ${credited} on ${credited.chainRef} = ${unexplained.chainRef} and ${credited.account} = ${unexplained.account}
                       join ${address} on ${address.id} = ${credited.addressId}
                      where ${unexplained.chainRef} = ${chain.id} and ${address.intentId} = ${intent.id})) ${as.boolean('hasUnexplained')}
    from ${intent} join ${chain} on ${chain.id} = ${intent.chainRef} join ${cursor} on ${cursor.chainRef} = ${chain.id}
   where ${intent.id} = any(${intentIds})`;

/** Moves intents through a status to the next one. */
export const passIntents = (ids: readonly string[], status: PaymentIntent['status']) => sql`
  update ${intent} set ${set(intent, { status })} where ${intent.id} = any(${ids})`;

/** The outcome of the fold of an intent, and what it means for its times. */
export interface FoldedIntent {
  readonly id: string;
  readonly outcome: IntentOutcome;
  /** The deadline has passed. */
  readonly isDue: boolean;
  /** The outcome differs from what is stored. */
  readonly isChange: boolean;
}

/** Writes the outcomes of folds into intents, with the times at which they are due again, and returns the intents. */
export function recordOutcomes(folded: readonly FoldedIntent[]) {
  const outcomes = folded.map(({ outcome, ...timing }) => ({ ...timing, ...outcome }));
  const waited = sql`(now() - ${intent.expiresAt}) / 10`;
  const pause = sql`greatest(least(${waited}, make_interval(secs => ${RECHECK_MAX_SECONDS})), make_interval(secs => ${RECHECK_MIN_SECONDS}))`;
  return sql`
    update ${intent} set ${set(intent, {
      status: sql`${fold.status}`,
      failureCode: sql`${fold.failure}`,
      receivedCryptoAmount: sql`${fold.receivedUnits}`,
      receivedAmountCents: sql`${fold.receivedCents}`,
      overpaidAmountCents: sql`${fold.overpaidCents}`,
      acceptedShortfallCents: sql`${fold.acceptedShortfallCents}`,
      completedAt: sql`case when ${fold.status} = 'completed' then now() end`,
      updatedAt: sql`case when ${fold.isChange} then now() else ${intent.updatedAt} end`,
      dueAt: sql`case when ${fold.awaitsStaff} then null when ${fold.isDue} then now() + ${pause} else ${intent.dueAt} end`,
    })}
      from ${unnest(fold, outcomes)}
     where ${intent.id} = ${fold.id} returning ${every(intent)}`;
}

/** Finds those of these deposits that completed their intent while they were on hold. */
export const findCountedOnHold = (depositIds: readonly string[]) => sql`
  select ${out(counted, 'depositId')} from ${counted} where ${counted.depositId} = any(${depositIds})`;

/** Reads the exponent of the minor units of a token. */
export const minorUnitExponentOf = (chainRef: string, contract: string) => sql`
  select ${out(token, 'minorUnitExponent')} from ${token}
   where ${token.chainRef} = ${chainRef} and ${token.contract} = ${contract}`;

/** What a settlement decided about a deposit. */
interface DepositDecision {
  readonly id: string;
  readonly late: boolean;
  /** Booked now. */
  readonly isBooked: boolean;
}

/** Stores on deposits whether they are late and that they are booked, as frozen if the sender is listed. */
export const recordBooking = (decisions: readonly DepositDecision[]) => sql`
  update ${deposit} set ${set(deposit, {
    late: fact.late,
    bookedAt: sql`case when ${fact.isBooked} then now() else ${deposit.bookedAt} end`,
    heldAs: sql`case when ${fact.isBooked} and ${deposit.listedSenderId} is not null then 'frozen' else ${deposit.heldAs} end`,
  })}
    from ${unnest(fact, decisions)}
   where ${deposit.id} = ${fact.id} and (${deposit.late} is distinct from ${fact.late} or ${fact.isBooked})`;

/** Finds those of these deposits of an intent that a `payment_received` event already shows. */
export const findReceivedBefore = (intentId: string, depositIds: readonly string[]) => sql`
  select ${out(deposit, 'id')} from ${deposit}
   where ${deposit.id} = any(${depositIds}) and exists (
     select from ${event} cross join jsonb_array_elements(${event.data}::jsonb -> 'payments') payment
      where ${event.resourceId} = ${intentId} and ${event.type} = 'payment_intent.payment_received'
        and payment ->> 'tx_hash' = ${deposit.txHash} and payment ->> 'amount' = ${deposit.amount}::text
        and coalesce(payment ->> 'id', ${deposit.id}) = ${deposit.id})`;

import { given, unnest } from '../../platform/sql/given.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { set, table } from '../../platform/sql/table.js';
import { DepositBalance } from './deposit-balance.entity.js';
import { SweptAccount } from './expiring/swept-account.entity.js';
import { SweepItem } from './sweep-item.entity.js';

/** Failed tries after which a balance is set aside. */
export const TRIES = 3;
/** The first pause; each is longer than the previous one by as much. */
export const RETRY_AFTER = '10 minutes';
/** Of what was set aside. */
export const REASON = `Nothing reached the hot wallet in ${TRIES} tries.`;

const balance = table(DepositBalance);
const item = table(SweepItem);
const emptied = table(SweptAccount);
const place = given('place', { token: 'text', addressId: 'bigint' });

const tries = sql`${balance.failures} + 1`;
const nextTry: SqlText = sql`now() + (${tries}) * ${RETRY_AFTER}::interval`;

/** The place of a balance. */
interface BalancePlace {
  readonly token: string;
  readonly addressId: string;
}

/**
 * Counts a failure for each balance that an ended sweep did not bring, and resets the count of those that it brought. The
 * count is of failures in a row; each pause is longer than the previous one, and the last failure sets the balance aside.
 * `tried` is the number of first items that were tried; the rest cannot have failed. Credited accounts count for themselves.
 */
export const countFailures = (sweepId: string, tried: number) => sql`
  update ${balance}
     set ${set(balance, {
       failures: sql`case when ${item.swept} > 0 then 0 else ${tries} end`,
       retryAt: sql`case when ${item.swept} > 0 then null else ${nextTry} end`,
       setAsideReason: sql`case when ${item.swept} = 0 and ${tries} >= ${TRIES} then ${REASON} end`,
     })}
    from ${item}
   where ${item.sweepId} = ${sweepId} and (${item.swept} > 0 or ${item.position} < ${tried})
     and ${balance.chainRef} = ${item.chainRef} and ${balance.tokenContract} = ${item.tokenContract}
     and ${balance.addressId} = ${item.addressId}
     and not exists (select from ${emptied}
                      where ${emptied.sweepId} = ${item.sweepId} and ${emptied.position} = ${item.position})`;

/**
 * Counts a failure for balances that the chain does not hold, or whose address is no plain one: no sweep is tried for
 * them.
 */
export const countUnsweepable = (chainRef: string, places: readonly BalancePlace[]) => sql`
  update ${balance}
     set ${set(balance, {
       failures: tries,
       retryAt: nextTry,
       setAsideReason: sql`case when ${tries} >= ${TRIES} then ${REASON} end`,
     })}
    from ${unnest(place, places)}
   where ${balance.chainRef} = ${chainRef} and ${balance.tokenContract} = ${place.token}
     and ${balance.addressId} = ${place.addressId} and ${balance.sweepId} is null and ${balance.setAsideReason} is null`;

import { given, unnest } from '../../platform/sql/given.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { columns, out, set, table, values } from '../../platform/sql/table.js';
import { DepositBalance } from './deposit-balance.entity.js';
import { heldOf } from './held-balance.sql.js';
import { isFrozen } from './frozen-balances.sql.js';
import { SweptAccount } from './expiring/swept-account.entity.js';
import { Sweep } from './sweep.entity.js';
import { SweepItem } from './sweep-item.entity.js';

const sweep = table(Sweep);
const item = table(SweepItem);
const emptied = table(SweptAccount);
const balance = table(DepositBalance);
const place = given('place', { token: 'text', addressId: 'bigint' });
const planned = given('planned', {
  token: 'text',
  addressId: 'bigint',
  account: 'text',
  expected: 'numeric',
  authorizationNonce: 'bigint',
  opensAccount: 'boolean',
  closesAccount: 'boolean',
  costMax: 'numeric',
});

/** One balance to be swept, as it is stored. */
export interface SweepItemRow {
  /** Contract, or `NATIVE_COIN`. */
  readonly token: string;
  readonly addressId: string;
  /** The account that it empties; null for the one that belongs to the token. */
  readonly account: string | null;
  /** Smallest units, by the books. */
  readonly expected: bigint;
  /** The address's own next nonce where it has to delegate first. */
  readonly authorizationNonce: number | null;
  /** Null where a sweep is a call of contracts. */
  readonly opensAccount: boolean | null;
  readonly closesAccount: boolean | null;
  /** The most that the address itself pays, in smallest units of the coin; null where the hot wallet pays. */
  readonly costMax: bigint | null;
}

/** Locks the balances that are still to be swept, in their order; skips those that another transaction has locked. */
export const lockFree = (chainRef: string, places: readonly Pick<SweepItemRow, 'token' | 'addressId'>[]) => sql`
  select ${out(balance, 'tokenContract', 'addressId')}
    from ${unnest(place, places)}
    join ${balance} on ${balance.chainRef} = ${chainRef} and ${balance.tokenContract} = ${place.token}
                   and ${balance.addressId} = ${place.addressId}
   where ${balance.sweepId} is null and ${balance.setAsideReason} is null and ${heldOf(balance)} > 0
     and not ${isFrozen(balance)}
   order by ${balance.tokenContract}, ${balance.addressId} for no key update of ${balance} skip locked`;

/** Inserts a sweep, as signed if it is. */
export const insertSweepRow = (
  row: Pick<Sweep, 'id' | 'chainRef' | 'reason' | 'delegate' | 'batch'>,
  isSigned: boolean,
) => sql`
  insert into ${sweep} ${values(sweep, { ...row, signedAt: sql`case when ${isSigned}::boolean then now() end` })}`;

/** An item that empties another account than the associated one says nothing of accounts itself. */
const sayUnless = (term: SqlText): SqlText => sql`case when ${planned.account} is null then ${term} end`;

/** Inserts the items of a sweep in their order. */
export const insertItems = (sweepId: string, chainRef: string, items: readonly SweepItemRow[]) => sql`
  insert into ${item}
    ${columns(
      item,
      'sweepId',
      'position',
      'chainRef',
      'tokenContract',
      'addressId',
      'expected',
      'authorizationNonce',
      'opensAccount',
      'closesAccount',
      'costMax',
    )}
  select ${sweepId}, ${planned.nth} - 1, ${chainRef}, ${planned.token}, ${planned.addressId}, ${planned.expected},
         ${planned.authorizationNonce}, ${sayUnless(planned.opensAccount)}, ${sayUnless(planned.closesAccount)},
         ${planned.costMax}
    from ${unnest(planned, items)}`;

/** Inserts which accounts items empty, where these are not the associated ones. */
export const insertSweptAccounts = (sweepId: string, chainRef: string, items: readonly SweepItemRow[]) => sql`
  insert into ${emptied}
    ${columns(
      emptied,
      'sweepId',
      'position',
      'chainRef',
      'account',
      'addressId',
      'tokenContract',
      'opensAccount',
      'closesAccount',
    )}
  select ${sweepId}, ${planned.nth} - 1, ${chainRef}, ${planned.account}, ${planned.addressId}, ${planned.token},
         ${planned.opensAccount}, ${planned.closesAccount}
    from ${unnest(planned, items)} where ${planned.account} is not null`;

/** Assigns balances to a sweep. */
export const assignBalances = (sweepId: string, chainRef: string, items: readonly SweepItemRow[]) => sql`
  update ${balance} set ${set(balance, { sweepId })} from ${unnest(planned, items)}
   where ${balance.chainRef} = ${chainRef} and ${balance.tokenContract} = ${planned.token}
     and ${balance.addressId} = ${planned.addressId}`;

/** Records that the items without an outcome brought nothing. */
export const endOpenItems = (sweepIds: readonly string[]) => sql`
  update ${item} set ${set(item, { swept: sql`0` })} where ${item.sweepId} = any(${sweepIds}) and ${item.swept} is null`;

/** Releases the balances of ended sweeps, less what these brought. */
export const releaseBalances = (sweepIds: readonly string[]) => sql`
  update ${balance} set ${set(balance, { swept: sql`${balance.swept} + ${item.swept}`, sweepId: null })} from ${item}
   where ${item.sweepId} = any(${sweepIds}) and ${balance.chainRef} = ${item.chainRef}
     and ${balance.tokenContract} = ${item.tokenContract} and ${balance.addressId} = ${item.addressId}`;

/** Ends sweeps. */
export const endSweeps = (sweepIds: readonly string[]) => sql`
  update ${sweep} set ${set(sweep, { finishedAt: sql`now()`, waitingReason: null })} where ${sweep.id} = any(${sweepIds})`;

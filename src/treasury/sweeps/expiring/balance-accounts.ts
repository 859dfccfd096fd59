import type { Database } from '../../../platform/database/database.js';
import type { DueBalance } from './due-balances.js';
import { type OtherBalance, otherBalances } from './other-balances.sql.js';

/** The part of a balance that lies in one account of its address. */
export interface AccountBalance extends DueBalance {
  /** Null for the account that belongs to the token. */
  readonly account: string | null;
}

/**
 * Splits a balance into the accounts of its address, by the books. A sweep empties one of them: the first, which holds the
 * most, and the next sweep the next one.
 */
function partsOf(balance: DueBalance, others: readonly OtherBalance[]): readonly AccountBalance[] {
  const inOthers = others
    .filter(({ addressId, token }) => addressId === balance.addressId && token === balance.token)
    .map(({ account, units }) => ({ ...balance, account, units: BigInt(units) }));
  const units = inOthers.reduce((left, other) => left - other.units, balance.units);
  return [{ ...balance, account: null, units }, ...inOthers]
    .filter((part) => part.units > 0n)
    .toSorted((a, b) => (a.units === b.units ? 0 : a.units > b.units ? -1 : 1));
}

/** Returns the parts of balances, in their order. */
export async function accountsOfBalances(
  database: Database,
  chainRef: string,
  balances: readonly DueBalance[],
): Promise<readonly (readonly AccountBalance[])[]> {
  const addressIds = [...new Set(balances.map(({ addressId }) => addressId))];
  const others = await database.rows(otherBalances(chainRef, addressIds));
  return balances.map((balance) => partsOf(balance, others));
}

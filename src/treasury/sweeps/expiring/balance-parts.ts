import { largestFirst } from '../../../domain/money.js';
import type { CreditedBalance } from './credited-balances.sql.js';
import type { DueBalance } from './due-balances.js';

/**
 * Returns the part of each balance that the next sweep takes, in their order: a sweep empties one account of an address and token,
 * the one that failed least often, and of those the one that holds the most by the books. So one that cannot be swept holds up no
 * other. Accounts that are known to be blocked are left out.
 * @param others the credited accounts of the addresses
 */
export const partsOf = (balances: readonly DueBalance[], others: readonly CreditedBalance[]): readonly DueBalance[] =>
  balances.flatMap((balance) => partOf(balance, others) ?? []);

function partOf(balance: DueBalance, others: readonly CreditedBalance[]): DueBalance | null {
  const beside = others.filter(({ addressId, token }) => addressId === balance.addressId && token === balance.token);
  if (beside.length === 0) return balance;
  const rest = beside.reduce((left, { units }) => left - BigInt(units), balance.units);
  const parts = [{ account: null, units: rest, failures: balance.failures }, ...beside.filter(isSweepable)]
    .map((part) => ({ ...part, units: BigInt(part.units) }))
    .filter(({ units }) => units > 0n);
  const [next] = parts.toSorted((a, b) => a.failures - b.failures || largestFirst(a.units, b.units));
  if (next === undefined) return null;
  const { account, units, failures } = next;
  // Rounded down, so that no part is worth more than its share.
  const value = balance.value === null ? null : (balance.value * units) / balance.units;
  return { ...balance, account, units, failures, value };
}

const isSweepable = (account: CreditedBalance): boolean => account.isSweepable;

import { largestFirst } from '../../../domain/money.js';
import { NATIVE_COIN } from '../../../domain/network.js';
import { BASIS_POINTS } from '../../../domain/quote.js';

/** What one account of an address holds of a token on a chain whose transactions expire. */
export interface DueBalance {
  /** Null for the account that belongs to the token. */
  readonly account: string | null;
  readonly addressId: string;
  readonly addressKey: string;
  readonly token: string;
  /** Smallest units, above zero: final deposits of the account less its sweeps. */
  readonly units: bigint;
  /** In smallest units of the chain's coin; null while a price is missing. */
  readonly value: bigint | null;
  /** Whether its intent is open: such a balance is swept only for withdrawals, and last. */
  readonly isOpen: boolean;
  /** Whether its intent ended a while ago, so that no more payments are expected. */
  readonly isSettled: boolean;
  /** Whether every deposit to it is final. */
  readonly isQuiet: boolean;
  /** Failed sweeps in a row. */
  readonly failures: number;
}

/** Limits on the cost and value of sweeps. */
interface WorthTerms {
  /** What sweeping an address alone costs, in smallest units of the coin. */
  readonly cost: bigint;
  /** The largest cost as a share of the value, in basis points. */
  readonly shareBps: number;
  /** The largest value in the coin that may still go to the hot wallet; null = no limit. */
  readonly room: bigint | null;
}

/**
 * Returns the balances of the addresses that are worth their cost, the most valuable first. Addresses whose intent ended just
 * now wait, so that one sweep takes what they hold and closes their accounts.
 */
export function worthMoving(
  balances: readonly DueBalance[],
  { cost, shareBps, room }: WorthTerms,
): readonly DueBalance[] {
  const settled = balances.filter((balance) => !balance.isOpen && balance.isSettled && isMovable(balance));
  const addresses = [...Map.groupBy(settled, ({ addressId }) => addressId).values()]
    .map((held) => ({ held, value: held.reduce((sum, { value }) => sum + (value ?? 0n), 0n) }))
    .filter(({ value }) => cost * BASIS_POINTS <= value * BigInt(shareBps))
    .toSorted((a, b) => largestFirst(a.value, b.value));
  let left = room;
  return addresses.flatMap(({ held, value }) => {
    if (left !== null && value > left) return [];
    if (left !== null) left -= value;
    return held;
  });
}

/**
 * Returns the balances that bring the funds that withdrawals wait for (smallest units by token): the largest until each need
 * is covered, those of open intents last. None is worth less than its cost. A balance without a price is swept only when it
 * covers the need alone.
 */
export function coveringMoves(
  balances: readonly DueBalance[],
  needs: ReadonlyMap<string, bigint>,
  cost: bigint,
): readonly DueBalance[] {
  return [...needs].flatMap(([token, need]) => {
    const held = balances
      .filter((balance) => balance.token === token && isMovable(balance))
      .toSorted((a, b) => Number(a.isOpen) - Number(b.isOpen) || largestFirst(a.units, b.units));
    let missing = need;
    return held.filter(({ units, value }) => {
      if (missing <= 0n || (value === null ? units < need : value < cost)) return false;
      // The coin itself pays for the sweep that brings it.
      missing -= token === NATIVE_COIN ? units - cost : units;
      return true;
    });
  });
}

/** All coins of an address leave at once, so none may arrive meanwhile. */
const isMovable = ({ token, isQuiet }: DueBalance): boolean => token !== NATIVE_COIN || isQuiet;

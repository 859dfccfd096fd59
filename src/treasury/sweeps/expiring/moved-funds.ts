import type { FinalTransaction } from '../../../chains/expiring.js';
import { NATIVE_COIN } from '../../../domain/network.js';

/** Funds of a deposit address that a signed sweep moves to the hot wallet. */
export interface MovedFunds {
  readonly owner: string;
  readonly token: string;
  readonly amount: bigint;
  readonly opensAccount: boolean;
  readonly closesAccount: boolean;
}

/** A signed sweep, as its rows state it. */
export interface SignedSweep {
  readonly hotWallet: string;
  /** Who pays its fee: the hot wallet, or its only address. */
  readonly feePayer: string;
  readonly funds: readonly MovedFunds[];
}

/** How a sweep ended in a final block, in smallest units of the coin. */
export interface SweepEnd {
  readonly succeeded: boolean;
  /** What it cost its payer: the fee, and the rent of accounts that it opened beyond the returned one. */
  readonly cost: bigint;
  /** What the hot wallet got for closed accounts beyond the rent of those that it opened. */
  readonly returnedRent: bigint;
}

/**
 * Returns how a sweep ended, by what its transaction changed: each deposit address lost exactly its funds, and the fee where it
 * pays it, and the hot wallet got them. Null when the changes contradict the sweep, so that they prove nothing.
 */
export function sweepEnd(
  { hotWallet, feePayer, funds }: SignedSweep,
  { succeeded, fee, changes }: FinalTransaction,
): SweepEnd | null {
  const change = (owner: string, of: string): bigint =>
    changes.reduce((sum, each) => (each.owner === owner && each.token === of ? sum + each.units : sum), 0n);
  const moved = succeeded ? funds : [];
  const tokens = new Set([NATIVE_COIN, ...funds.map(({ token }) => token)]);
  const amountOf = (token: string, owner?: string): bigint =>
    moved.reduce((sum, each) => {
      return each.token === token && (owner ?? each.owner) === each.owner ? sum + each.amount : sum;
    }, 0n);
  const owners = new Set(funds.map(({ owner }) => owner));
  const isMoved = [...tokens].every((token) => {
    const isGiven = [...owners].every((owner) => {
      const paid = token === NATIVE_COIN && owner === feePayer ? fee : 0n;
      return change(owner, token) === -amountOf(token, owner) - paid;
    });
    return isGiven && (token === NATIVE_COIN || change(hotWallet, token) === amountOf(token));
  });
  const rent = change(hotWallet, NATIVE_COIN) + (feePayer === hotWallet ? fee : 0n) - amountOf(NATIVE_COIN);
  const isPossible =
    (rent <= 0n || moved.some(({ closesAccount }) => closesAccount)) &&
    (rent >= 0n || moved.some(({ opensAccount }) => opensAccount));
  if (!isMoved || !isPossible) return null;
  return { succeeded, cost: rent < 0n ? fee - rent : fee, returnedRent: rent > 0n ? rent : 0n };
}

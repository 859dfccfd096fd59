import type { z } from 'zod';
import { NATIVE_COIN } from '../../domain/network.js';
import type { AccountBalance, FundsAccount } from '../accounts.js';
import { ChainUnavailable } from '../chain.js';
import { BALANCE_SLICE, creditedFundsOf, holdingOf, lamportsOf, tokenUnitsOf, WHOLE_SLICE } from './account-data.js';
import type { accountsShape } from './rpc-shapes.js';
import type { Commitment } from './solana-rpc.js';

/** A request for 100 accounts has 5 KiB, and a validator accepts 50 KiB by default. */
const TOGETHER_MAX = 8;
/** The limit of a node counts requests that are sent together: with two batches under way, another one waits for 80 ms at most. */
const TOGETHER_PER_SECOND = 25;

type Answer = z.infer<typeof accountsShape>;

/** Returns how many requests for balances are sent together: one where the limit of the node is not known. */
export const requestsTogether = (requestsPerSecond: number | null): number =>
  Math.min(Math.max(Math.floor((requestsPerSecond ?? 0) / TOGETHER_PER_SECOND), 1), TOGETHER_MAX);

/** Returns the parameters of `getMultipleAccounts` for balances at block `since` or later. */
export function balanceParams(
  accounts: readonly FundsAccount[],
  commitment: Commitment,
  since: number,
): readonly unknown[] {
  const dataSlice = isWhole(accounts) ? WHOLE_SLICE : BALANCE_SLICE;
  const addresses = accounts.map(({ account }) => account);
  return [addresses, { commitment, encoding: 'base64', dataSlice, minContextSlot: since }];
}

/**
 * Returns the balances in the answer to `balanceParams`.
 * @throws ChainUnavailable when some are missing, are of an earlier block, or are not of the slice
 */
export function balancesIn(
  { value, context: { slot: asOf } }: Answer,
  accounts: readonly FundsAccount[],
  since: number,
): readonly AccountBalance[] {
  if (value.length !== accounts.length || asOf < since) {
    throw new ChainUnavailable(`The node returned ${value.length} of ${accounts.length} accounts, at ${asOf}.`);
  }
  const whole = isWhole(accounts);
  // Most accounts of a round do not exist: one balance for all of them.
  const none: AccountBalance = { asOf, units: 0n, obstacle: null };
  return value.map((stored, place) => {
    if (stored === null) return none;
    const { token = '', owner } = accounts[place] ?? {};
    if (owner !== undefined) return { asOf, ...creditedFundsOf(stored, { owner, token }) };
    if (token === NATIVE_COIN) return { asOf, units: lamportsOf(stored), obstacle: null };
    return { asOf, units: whole ? (holdingOf(stored)?.units ?? 0n) : tokenUnitsOf(stored), obstacle: null };
  });
}

/** The whole data only where it is needed: a round reads hundreds of thousands of accounts. */
const isWhole = (accounts: readonly FundsAccount[]): boolean => accounts.some(({ owner }) => owner !== undefined);

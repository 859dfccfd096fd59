import type { PlannedSweep, SweepSource } from '../../../chains/expiring-sweeps.js';
import type { PlacedFunds } from '../../../chains/expiring.js';
import { NATIVE_COIN } from '../../../domain/network.js';
import type { DueBalance } from './due-balances.js';

/** A balance that was checked against the chain. */
export interface HeldBalance extends DueBalance {
  readonly closesAccount: boolean;
}

/**
 * Compares a balance with what its account holds at a final block. `unsweepable`: the chain holds less, or others may act on the
 * account. `waits`: an address keeps no coins below `leastCoin`, so that it can be swept only when the books know them all.
 */
export function heldBalance(
  balance: DueBalance,
  { units, isFrozenByIssuer, obstacle }: PlacedFunds,
  leastCoin: bigint,
): HeldBalance | 'unsweepable' | 'waits' {
  const isBlocked = balance.account !== null && obstacle !== undefined;
  if (isBlocked || isFrozenByIssuer || units < balance.units) return 'unsweepable';
  const rest = units - balance.units;
  if (balance.token === NATIVE_COIN) {
    return rest === 0n || rest >= leastCoin ? { ...balance, closesAccount: false } : 'waits';
  }
  return { ...balance, closesAccount: balance.isSettled && balance.isQuiet && rest === 0n };
}

/**
 * Splits balances into transactions. A sweep fails as a whole, so balances of one that failed are swept by address the next
 * time, and then one by one: one bad account cannot hold up the others.
 */
export function batchesOf(
  balances: readonly HeldBalance[],
  planOf: (sources: readonly SweepSource[]) => Pick<PlannedSweep, 'sources'>,
): readonly (readonly HeldBalance[])[] {
  const batches: (readonly HeldBalance[])[] = [];
  let rest = byAddress(balances.filter(({ failures }) => failures === 0));
  while (rest.length > 0) {
    const fitting = planOf(rest.map(sourceOf)).sources.length;
    batches.push(rest.slice(0, fitting).flat());
    rest = rest.slice(fitting);
  }
  const failedOnce = byAddress(balances.filter(({ failures }) => failures === 1));
  return [...batches, ...failedOnce, ...balances.filter(({ failures }) => failures > 1).map((balance) => [balance])];
}

const byAddress = (balances: readonly HeldBalance[]): readonly (readonly HeldBalance[])[] => [
  ...Map.groupBy(balances, ({ addressKey }) => addressKey).values(),
];

/** The decimals do not change the size of a transaction. */
const sourceOf = (held: readonly HeldBalance[]): SweepSource => ({
  owner: held[0]?.addressKey ?? '',
  funds: held.map(({ token, account, units: amount, closesAccount }) => {
    return { token, account, decimals: 0, amount, closesAccount };
  }),
});

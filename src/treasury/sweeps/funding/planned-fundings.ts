import type { OwnCost } from '../../../chains/expiring-sweeps.js';
import type { PlacedFunds } from '../../../chains/expiring.js';
import { NATIVE_COIN } from '../../../domain/network.js';
import type { DueBalance } from '../expiring/due-balances.js';

/** Sweeps of a chain that are open at once, each a transaction of its own beside its funding. */
export const OPEN_SWEEPS_MAX = 20;

/** What the chain says about a due balance and the coins of its address. */
export interface FundedPlace {
  /** What the address holds of the token, and of the coin. */
  readonly held: PlacedFunds;
  readonly coins: PlacedFunds;
  /** Null where the sweep would fail. */
  readonly cost: OwnCost | null;
  /** The coins that may pay for the sweep by the books, in smallest units. */
  readonly usable: bigint;
}

/** A sweep of one address in one token, in smallest units. */
export interface FundedSweep {
  readonly amount: bigint;
  readonly costMax: bigint;
  /** The coins that the hot wallet sends first; 0 for none. */
  readonly funding: bigint;
  /** The stake whose energy it lends; 0 for none. */
  readonly loan: bigint;
}

/**
 * Returns the sweep of a balance. The coin pays for itself: everything leaves but what it costs. `unsweepable`: the address
 * holds less than the books say, its issuer has frozen it, or the sweep would fail. `waits`: the coins are worth less than
 * they cost.
 * @param lendable the stake whose energy the hot wallet can lend
 */
export function fundedSweep(
  { token, units }: Pick<DueBalance, 'token' | 'units'>,
  { held, coins, cost, usable }: FundedPlace,
  lendable: bigint,
): FundedSweep | 'unsweepable' | 'waits' {
  if (cost === null || held.isFrozenByIssuer || held.units < units) return 'unsweepable';
  if (token === NATIVE_COIN) {
    const amount = units - cost.now;
    return amount > 0n ? { amount, costMax: cost.most, funding: 0n, loan: 0n } : 'waits';
  }
  const own = usable < coins.units ? usable : coins.units;
  const lent = cost.lent !== null && cost.lent.stake <= lendable ? cost.lent : null;
  const needed = lent === null ? cost.most : lent.coins;
  const missing = own < 0n ? needed : needed - own;
  const funding = missing > 0n ? missing : 0n;
  return { amount: units, costMax: lent?.most ?? cost.most, funding, loan: lent?.stake ?? 0n };
}

/** Returns one balance of each address, a token before the coin, which pays for the tokens. */
export function oneByAddress(balances: readonly DueBalance[], limit: number): readonly DueBalance[] {
  const tokensFirst = balances.toSorted((a, b) => Number(a.token === NATIVE_COIN) - Number(b.token === NATIVE_COIN));
  const first = new Map<string, DueBalance>();
  for (const balance of tokensFirst) if (!first.has(balance.addressId)) first.set(balance.addressId, balance);
  const chosen = new Set(first.values());
  return balances.filter((balance) => chosen.has(balance)).slice(0, Math.max(0, limit));
}

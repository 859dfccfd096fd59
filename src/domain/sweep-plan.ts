import { parsePrice } from './quote.js';

/** So many balances fit into one transaction, each with an authorization, of ten tokens at most. */
export const SWEEP_ITEMS_MAX = 250;

/**
 * Gas that a sweep is expected to use, from above: measured were 39,000 for the batch and 13,000 an item, 31,000 with its
 * authorization; tokens behind a proxy use some 15,000 more.
 */
const EXPECTED_GAS = { batch: 40_000n, item: 30_000n, authorization: 18_000n } as const;

/** What the gas limit of a sweep reserves at most: for ten tokens, and for an item that has to delegate. */
const LIMIT_GAS = { batch: 321_000n, item: 65_000n } as const;

const BPS = 10_000n;
const WEI_PER_COIN = 10n ** 18n;

/** What one address holds of one token, by final deposits less what was swept. */
export interface SweepCandidate {
  readonly addressId: string;
  /** Lower case. */
  readonly addressKey: string;
  /** Contract or `NATIVE_COIN`. */
  readonly token: string;
  /** Smallest units, above zero. */
  readonly units: bigint;
  /** In wei of the chain's own coin; null while a price is missing. */
  readonly valueWei: bigint | null;
  /** Whether the address delegated already, as far as we know. */
  readonly isDelegated: boolean;
}

/** What a sweep may cost and hold. */
export interface SweepTerms {
  /** What one gas is expected to cost, in wei. */
  readonly feePerGas: bigint;
  /** How much of what is swept it may cost, in hundredths of a percent. */
  readonly shareBps: number;
  /** 1 to `SWEEP_ITEMS_MAX`. */
  readonly itemsMax: number;
}

/**
 * What is worth a sweep by itself: items whose own gas costs no more than the share of their value, as long as the whole
 * transaction does not either. Empty when it is better to wait for more. An item without a value is not worth anything.
 */
export function worthSweeping(candidates: readonly SweepCandidate[], terms: SweepTerms): SweepCandidate[] {
  const share = BigInt(terms.shareBps);
  const worth = candidates
    .filter((candidate) => isWithin(gasOf(candidate) * terms.feePerGas, candidate.valueWei ?? 0n, share))
    .toSorted((a, b) => descending(a.valueWei ?? 0n, b.valueWei ?? 0n))
    .slice(0, terms.itemsMax);
  const gas = worth.reduce<bigint>((sum, candidate) => sum + gasOf(candidate), EXPECTED_GAS.batch);
  const value = worth.reduce((sum, { valueWei }) => sum + (valueWei ?? 0n), 0n);
  return worth.length > 0 && isWithin(gas * terms.feePerGas, value, share) ? worth : [];
}

/**
 * What brings the coins that withdrawals wait for: the largest balances of each token until its need (smallest units) is
 * covered, or all there are. The share does not count here; what is known to be worth less than its own gas is left out
 * all the same, or a need that cannot be covered would burn coins on dust.
 */
export function coveringNeeds(
  candidates: readonly SweepCandidate[],
  needs: ReadonlyMap<string, bigint>,
  { feePerGas, itemsMax }: Omit<SweepTerms, 'shareBps'>,
): SweepCandidate[] {
  const missing = new Map(needs);
  const taken: SweepCandidate[] = [];
  for (const candidate of candidates.toSorted((a, b) => descending(a.units, b.units))) {
    const need = missing.get(candidate.token) ?? 0n;
    const costsMore = candidate.valueWei !== null && gasOf(candidate) * feePerGas > candidate.valueWei;
    if (need <= 0n || costsMore || taken.length === itemsMax) continue;
    taken.push(candidate);
    missing.set(candidate.token, need - candidate.units);
  }
  return taken;
}

/**
 * So many items fit into a sweep whose gas the wallet must be able to pay at the highest fee (wei). Half of its coins at
 * most are promised to one sweep, so that withdrawals have gas meanwhile. At least one: it waits for gas, and says so.
 */
export function affordableItems(coins: bigint, maxFeePerGas: bigint): number {
  const gas = coins / 2n / maxFeePerGas - LIMIT_GAS.batch;
  const items = gas / LIMIT_GAS.item;
  if (items >= BigInt(SWEEP_ITEMS_MAX)) return SWEEP_ITEMS_MAX;
  return items < 1n ? 1 : Number(items);
}

/** The value of so many smallest units in wei of the chain's coin, by USD prices; rounded down. Null without prices. */
export function valueInWei(
  units: bigint,
  decimals: number,
  prices: { readonly token: string; readonly coin: string },
): bigint | null {
  const [token, coin] = [parsePrice(prices.token), parsePrice(prices.coin)];
  if (token === null || coin === null) return null;
  return (units * token * WEI_PER_COIN) / (10n ** BigInt(decimals) * coin);
}

const gasOf = ({ isDelegated }: SweepCandidate): bigint =>
  EXPECTED_GAS.item + (isDelegated ? 0n : EXPECTED_GAS.authorization);

const isWithin = (fee: bigint, value: bigint, shareBps: bigint): boolean => fee * BPS <= value * shareBps;

const descending = (a: bigint, b: bigint): number => (a === b ? 0 : a > b ? -1 : 1);

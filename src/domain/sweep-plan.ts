import { largestFirst } from './money.js';
import { NATIVE_COIN } from './network.js';
import { BASIS_POINTS, parsePrice } from './quote.js';
import { AUTHORIZATION_GAS, firstWithin } from './sweep-gas.js';

/** The number of balances that fit into one transaction, each with an authorization, of ten tokens at most. */
export const SWEEP_ITEMS_MAX = 250;

/**
 * Upper estimate of the gas of a sweep. Measured: 39,000 for the batch and 13,000 per item; tokens behind a proxy use some
 * 15,000 more. An authorization is not refunded for an address with neither coins nor a nonce.
 */
const EXPECTED_GAS = { batch: 40_000n, item: 30_000n, authorization: AUTHORIZATION_GAS } as const;

/** The balance of one address in one token: its final deposits less its sweeps. */
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
  /** Whether the address has delegated already, by our records. */
  readonly isDelegated: boolean;
  /** Whether its intent is still open: such a balance is swept only for withdrawals, and last. */
  readonly isOpen: boolean;
}

/** Limits on the cost and size of a sweep. */
export interface SweepTerms {
  /** Expected cost of one gas, in wei. */
  readonly feePerGas: bigint;
  /** The largest cost as a share of the swept value, in basis points. */
  readonly shareBps: number;
  /** 1 to `SWEEP_ITEMS_MAX`. */
  readonly itemsMax: number;
  /** The largest gas limit. */
  readonly gasMax: bigint;
  /** The largest value to sweep when no withdrawal needs it, in wei of the chain's coin; null = no limit. */
  readonly roomWei: bigint | null;
}

/**
 * Returns the items that are worth a sweep by themselves: the gas of each costs no more than the share of its value, the
 * same holds for the whole transaction, and there is room for them. Empty when it is better to wait for more. An item
 * without a value counts as worthless.
 */
export function worthSweeping(candidates: readonly SweepCandidate[], terms: SweepTerms): SweepCandidate[] {
  const share = BigInt(terms.shareBps);
  const valuable = candidates
    .filter((each) => !each.isOpen && isWithin(gasOf(each) * terms.feePerGas, each.valueWei ?? 0n, share))
    .toSorted((a, b) => largestFirst(a.valueWei ?? 0n, b.valueWei ?? 0n));
  const worth = fitting(withinRoom(valuable, terms.roomWei), terms);
  return worth.length > 0 && isWithin(gasOfAll(worth) * terms.feePerGas, valueOf(worth), share) ? worth : [];
}

/**
 * Returns the items that bring the funds that withdrawals wait for: the largest balances of each token until its need
 * (smallest units) is covered, those of open intents last, and the tokens in turns, so that none fills the sweep alone.
 * The share does not apply here, but nothing is swept that is worth less than its gas: else a need that cannot be covered
 * would burn coins on dust. A balance without a price is swept only when it covers the need alone.
 */
export function coveringNeeds(
  candidates: readonly SweepCandidate[],
  needs: ReadonlyMap<string, bigint>,
  terms: Omit<SweepTerms, 'shareBps' | 'roomWei'>,
): SweepCandidate[] {
  const { feePerGas } = terms;
  const missing = new Map(needs);
  // The coin itself pays for the sweep that brings it.
  const coins = needs.get(NATIVE_COIN) ?? 0n;
  if (coins > 0n) missing.set(NATIVE_COIN, coins + EXPECTED_GAS.batch * feePerGas);
  const taken: SweepCandidate[] = [];
  for (const candidate of inTurns(candidates)) {
    const need = missing.get(candidate.token) ?? 0n;
    const gas = gasOf(candidate) * feePerGas;
    const isWorthIt =
      candidate.valueWei === null ? candidate.units >= (needs.get(candidate.token) ?? 0n) : gas <= candidate.valueWei;
    if (need <= 0n || !isWorthIt) continue;
    taken.push(candidate);
    missing.set(candidate.token, need - candidate.units + (candidate.token === NATIVE_COIN ? gas : 0n));
  }
  const sweep = fitting(taken, terms);
  const isUnvalued = sweep.some(({ valueWei }) => valueWei === null);
  return isUnvalued || gasOfAll(sweep) * feePerGas <= valueOf(sweep) ? sweep : [];
}

/** The decimals of a token or coin, and the price in USD of a whole one, as a decimal. */
export interface PricedUnits {
  readonly decimals: number;
  readonly price: string;
}

/**
 * The value of smallest units of a token in smallest units of the chain's coin, rounded down. Null without valid prices.
 */
export function valueInCoin(units: bigint, token: PricedUnits, coin: PricedUnits): bigint | null {
  const [tokenPrice, coinPrice] = [parsePrice(token.price), parsePrice(coin.price)];
  if (tokenPrice === null || coinPrice === null) return null;
  return (units * tokenPrice * 10n ** BigInt(coin.decimals)) / (10n ** BigInt(token.decimals) * coinPrice);
}

const gasOf = ({ isDelegated }: SweepCandidate): bigint =>
  EXPECTED_GAS.item + (isDelegated ? 0n : EXPECTED_GAS.authorization);

const gasOfAll = (items: readonly SweepCandidate[]): bigint =>
  items.reduce<bigint>((sum, candidate) => sum + gasOf(candidate), EXPECTED_GAS.batch);

const valueOf = (items: readonly SweepCandidate[]): bigint =>
  items.reduce((sum, { valueWei }) => sum + (valueWei ?? 0n), 0n);

/** Returns at least one item if there are any: a sweep that the wallet cannot pay for then reports that it waits for gas. */
function fitting(
  items: readonly SweepCandidate[],
  { itemsMax, gasMax }: Pick<SweepTerms, 'itemsMax' | 'gasMax'>,
): SweepCandidate[] {
  const fits = firstWithin(items.slice(0, itemsMax), gasMax);
  return fits.length > 0 ? fits : items.slice(0, 1);
}

/** Returns the items that fit into the room, in their order. */
function withinRoom(items: readonly SweepCandidate[], roomWei: bigint | null): readonly SweepCandidate[] {
  if (roomWei === null) return items;
  let left = roomWei;
  return items.filter(({ valueWei }) => {
    const fits = (valueWei ?? 0n) <= left;
    if (fits) left -= valueWei ?? 0n;
    return fits;
  });
}

/** Orders the first of each token, then the second of each, and so on: the largest first, those of open intents last. */
function inTurns(candidates: readonly SweepCandidate[]): SweepCandidate[] {
  const byToken = Map.groupBy(candidates, ({ token }) => token);
  const ranked = [...byToken.values()].flatMap((held) =>
    held
      .toSorted((a, b) => Number(a.isOpen) - Number(b.isOpen) || largestFirst(a.units, b.units))
      .map((candidate, rank) => ({ candidate, rank })),
  );
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ candidate }) => candidate);
}

const isWithin = (fee: bigint, value: bigint, shareBps: bigint): boolean => fee * BASIS_POINTS <= value * shareBps;

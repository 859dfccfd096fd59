import { formatUnits, mulDivHalfUp } from './money.js';
import { BASIS_POINTS, PRICE_DECIMALS, PRICE_SCALE, parsePrice } from './quote.js';

/** The largest spread between the best bid and the best ask of an active order book. */
const SPREAD_MAX_BPS = 200n;

/** The price of an order book, or why it has none. */
export type BookPrice = { readonly value: string } | { readonly silence: 'not_a_price' | 'wide_book' };

/**
 * Returns the middle of the best bid and the best ask, both decimal strings. A halted market shows zeros, an abandoned
 * one a very wide spread: neither has a price.
 */
export function bookPrice(bid: string, ask: string): BookPrice {
  const [low, high] = [parsePrice(bid), parsePrice(ask)];
  if (low === null || high === null) return { silence: 'not_a_price' };
  const middle = (low + high) / 2n;
  if (high < low || (high - low) * BASIS_POINTS > middle * SPREAD_MAX_BPS) return { silence: 'wide_book' };
  return { value: formatUnits(middle, PRICE_DECIMALS) };
}

/** Converts `value`, in a coin, to the currency in which one such coin costs `rate`. Null unless both are prices. */
export function convertPrice(value: string, rate: string): string | null {
  const [amount, factor] = [parsePrice(value), parsePrice(rate)];
  if (amount === null || factor === null) return null;
  const converted = formatUnits(mulDivHalfUp(amount, factor, PRICE_SCALE), PRICE_DECIMALS);
  return parsePrice(converted) === null ? null : converted;
}

/** The median; with an even number of values, the mean of the middle two. `values` must not be empty. */
export function medianOf(values: readonly bigint[]): bigint {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (low === undefined || high === undefined) throw new RangeError('There is no median of nothing.');
  return (low + high) / 2n;
}

/** Whether `value` is more than `bps` basis points away from `centre`; exact. */
export function deviatesBeyond(value: bigint, centre: bigint, bps: bigint): boolean {
  const distance = value > centre ? value - centre : centre - value;
  return distance * BASIS_POINTS > centre * bps;
}

/** The deviation of `value` from `centre` in basis points, negative below it; rounded, for display. At most 10,000 %. */
export function deviationBps(value: bigint, centre: bigint): number {
  const distance = mulDivHalfUp(value > centre ? value - centre : centre - value, BASIS_POINTS, centre);
  const shown = Number(distance < 1_000_000n ? distance : 1_000_000n);
  return value < centre && shown > 0 ? -shown : shown;
}

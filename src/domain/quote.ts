import { DomainError } from './errors.js';
import { formatUnits, JSON_INTEGER_MAX, mulDivDown, mulDivHalfUp, mulDivUp, parseUnits } from './money.js';

/** Fraction digits a price may have; inside, a price is an integer scaled by 10^18. */
export const PRICE_DECIMALS = 18;

/** By what a price is scaled. */
export const PRICE_SCALE = 10n ** BigInt(PRICE_DECIMALS);
/** USD per token. It keeps `token_price_cents` a JSON integer, and no coin is worth it. */
const PRICE_MAX = 10n ** 12n * PRICE_SCALE;
export const CENTS_PER_USD = 100n;
/** Of the whole. */
export const BASIS_POINTS = 10_000n;

/** The most that one intent may ask for. The table of intents checks the same number. */
export const AMOUNT_CENTS_MAX = 10 ** 12;

/** What an intent asks for, and the price of the moment. */
export interface QuoteTerms {
  /** Fiat amount to collect, in cents, at least 1. */
  readonly amountCents: bigint;
  /** USD for one whole token, as a decimal string with at most 18 fraction digits. */
  readonly price: string;
  /** Decimals of the token on this network. */
  readonly decimals: number;
}

/** What the customer is asked to pay; locked with the address (spec 2.1). */
export interface Quote {
  /** Smallest units of the token, rounded up: it is worth at least the amount. */
  readonly cryptoAmount: bigint;
  readonly cryptoAmountDecimal: string;
  /** The price rounded half up to cents: for show, nothing is computed from it. */
  readonly tokenPriceCents: bigint;
}

/** Received crypto in the intent's fiat, by the intent's own locked quote. */
export interface ReceivedValue {
  /** Rounded down, at most the intent's amount. */
  readonly receivedCents: bigint;
  /** What came on top, rounded down; at most 2^53-1, since an absurd transfer must not break the intent. */
  readonly overpaidCents: bigint;
}

/** A price scaled by 10^18; null unless it is a plain decimal above zero, below 10^12, with at most 18 fraction digits. */
export function parsePrice(text: string): bigint | null {
  const price = parseUnits(text, PRICE_DECIMALS);
  return price !== null && price > 0n && price < PRICE_MAX ? price : null;
}

/** Quotes an amount at a price (api.md 2). Throws `price_unavailable` when the price is not one. */
export function quoteOf({ amountCents, price, decimals }: QuoteTerms): Quote {
  if (amountCents < 1n) throw new RangeError('An amount is at least one cent.');
  const scaledPrice = parsePrice(price);
  if (scaledPrice === null) throw new DomainError('price_unavailable', 'Pricing is temporarily unavailable.');
  const unitsPerToken = 10n ** BigInt(decimals);
  const cryptoAmount = mulDivUp(amountCents, unitsPerToken * PRICE_SCALE, scaledPrice * CENTS_PER_USD);
  return {
    cryptoAmount,
    cryptoAmountDecimal: formatUnits(cryptoAmount, decimals),
    tokenPriceCents: mulDivHalfUp(scaledPrice, CENTS_PER_USD, PRICE_SCALE),
  };
}

/** Values `received` smallest units against a locked quote: floor(received * amount / crypto amount), split at the amount. */
export function receivedValueOf(
  received: bigint,
  quote: { readonly amountCents: bigint; readonly cryptoAmount: bigint },
): ReceivedValue {
  const value = mulDivDown(received, quote.amountCents, quote.cryptoAmount);
  if (value <= quote.amountCents) return { receivedCents: value, overpaidCents: 0n };
  const overpaid = value - quote.amountCents;
  return {
    receivedCents: quote.amountCents,
    overpaidCents: overpaid < JSON_INTEGER_MAX ? overpaid : JSON_INTEGER_MAX,
  };
}

/**
 * Smallest units that settle the intent when the merchant forgives `toleranceBps` basis points, rounded up. Below
 * 10,000 only: the result is then at least one unit, and nothing completes unpaid.
 */
export function requiredUnits(cryptoAmount: bigint, toleranceBps: number): bigint {
  if (!Number.isInteger(toleranceBps) || toleranceBps < 0 || toleranceBps >= 10_000) {
    throw new RangeError('A tolerance is a whole number of basis points from 0 to 9999.');
  }
  return mulDivUp(cryptoAmount, BASIS_POINTS - BigInt(toleranceBps), BASIS_POINTS);
}

import { DomainError } from './errors.js';
import { formatUnits, JSON_INTEGER_MAX, mulDivDown, mulDivHalfUp, mulDivUp, parseUnits } from './money.js';

/** The most fraction digits of a price; internally a price is an integer scaled by 10^18. */
export const PRICE_DECIMALS = 18;

/** The scale of a price. */
export const PRICE_SCALE = 10n ** BigInt(PRICE_DECIMALS);
/** USD per token. The limit keeps `token_price_cents` a JSON integer; no token is worth that much. */
const PRICE_MAX = 10n ** 12n * PRICE_SCALE;
export const CENTS_PER_USD = 100n;
/** Basis points of the whole. */
export const BASIS_POINTS = 10_000n;

/** The largest amount of an intent. The table of intents enforces the same number. */
export const AMOUNT_CENTS_MAX = 10 ** 12;

/** The amount of an intent, and the current price. */
export interface QuoteTerms {
  /** Fiat amount to collect, in cents, at least 1. */
  readonly amountCents: bigint;
  /** USD for one whole token, as a decimal string with at most 18 fraction digits. */
  readonly price: string;
  /** Decimals of the token on this network. */
  readonly decimals: number;
}

/** The amount that the customer has to pay; locked when the address is generated (spec 2.1). */
export interface Quote {
  /** Smallest units of the token, rounded up, so that they are worth at least the amount. */
  readonly cryptoAmount: bigint;
  readonly cryptoAmountDecimal: string;
  /** The price rounded half up to cents, for display only. */
  readonly tokenPriceCents: bigint;
}

/** The received crypto in the intent's fiat currency, by the intent's own locked quote. */
export interface ReceivedValue {
  /** Rounded down, at most the intent's amount. */
  readonly receivedCents: bigint;
  /** The excess, rounded down; at most 2^53-1, so that an absurd transfer does not break the intent. */
  readonly overpaidCents: bigint;
}

/** Parses a price, scaled by 10^18; null unless it is a plain decimal above zero and below 10^12 with up to 18 decimals. */
export function parsePrice(text: string): bigint | null {
  const price = parseUnits(text, PRICE_DECIMALS);
  return price !== null && price > 0n && price < PRICE_MAX ? price : null;
}

/** Quotes an amount at a price. Throws `price_unavailable` for an invalid price. */
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
 * Returns the smallest units that complete an intent with an underpayment tolerance of `toleranceBps` basis points,
 * rounded up. The tolerance must be below 10,000: so the result is at least one unit, and nothing completes unpaid.
 */
export function requiredUnits(cryptoAmount: bigint, toleranceBps: number): bigint {
  if (!Number.isInteger(toleranceBps) || toleranceBps < 0 || toleranceBps >= 10_000) {
    throw new RangeError('A tolerance is a whole number of basis points from 0 to 9999.');
  }
  return mulDivUp(cryptoAmount, BASIS_POINTS - BigInt(toleranceBps), BASIS_POINTS);
}

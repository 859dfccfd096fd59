/** The largest amount of smallest units on a chain (uint256); numeric(78,0) holds it. */
export const UNITS_MAX = 2n ** 256n - 1n;

/** The largest integer that every reader of JSON reads exactly. */
export const JSON_INTEGER_MAX = BigInt(Number.MAX_SAFE_INTEGER);

const DECIMAL = /^(0|[1-9]\d{0,77})(?:\.(\d+))?$/;

/**
 * Parses a decimal amount such as `12.5` into smallest units of a token with `decimals` digits. Null for anything other
 * than plain digits with at most `decimals` of them after the point (no sign, exponent, space, leading zero or
 * separator), and for more than `UNITS_MAX`. Input is never rounded.
 */
export function parseUnits(text: string, decimals: number): bigint | null {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  if (whole === undefined || fraction.length > decimals) return null;
  const units = BigInt(whole + fraction.padEnd(decimals, '0'));
  return units > UNITS_MAX ? null : units;
}

/**
 * Formats smallest units as the shortest exact decimal: `25`, `25.5`, `0.000001`. No exponent, no rounding and no
 * trailing zeros, so that equal amounts have equal text.
 */
export function formatUnits(units: bigint, decimals: number): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const fraction = digits.slice(point).replace(/0+$/, '');
  return sign + digits.slice(0, point) + (fraction === '' ? '' : `.${fraction}`);
}

/** Division of bigints truncates toward zero, so "up" and "down" are correct for non-negative amounts only. */
function assertAmounts(a: bigint, b: bigint, divisor: bigint): void {
  if (a < 0n || b < 0n || divisor <= 0n) throw new RangeError('Amounts must not be negative, divisors be above zero.');
}

/** `a * b / divisor`, exact in between, rounded down: for amounts that we credit or pay. */
export function mulDivDown(a: bigint, b: bigint, divisor: bigint): bigint {
  assertAmounts(a, b, divisor);
  return (a * b) / divisor;
}

/** `a * b / divisor`, exact in between, rounded up: for amounts that we charge. */
export function mulDivUp(a: bigint, b: bigint, divisor: bigint): bigint {
  assertAmounts(a, b, divisor);
  return (a * b + divisor - 1n) / divisor;
}

/** `a * b / divisor`, exact in between, rounded half up: for display only. */
export function mulDivHalfUp(a: bigint, b: bigint, divisor: bigint): bigint {
  assertAmounts(a, b, divisor);
  return (2n * a * b + divisor) / (2n * divisor);
}

/**
 * Converts smallest units to minor units (10^`exponent` of them make one token), rounded down: a remainder below one
 * minor unit stays in the pocket.
 */
export function unitsToMinorDown(units: bigint, decimals: number, exponent: number): bigint {
  return mulDivDown(units, 10n ** BigInt(exponent), 10n ** BigInt(decimals));
}

/**
 * Converts minor units to smallest units, exactly. Null when the amount is finer than the token can express, which
 * happens only where `exponent` exceeds `decimals` (TRX: 8 against 6).
 */
export function minorToUnits(minor: bigint, decimals: number, exponent: number): bigint | null {
  const scaled = minor * 10n ** BigInt(decimals);
  const divisor = 10n ** BigInt(exponent);
  return scaled % divisor === 0n ? scaled / divisor : null;
}

/** Orders amounts, the largest first. */
export const largestFirst = (a: bigint, b: bigint): number => (a === b ? 0 : a > b ? -1 : 1);

/** A `*_cents` value for JSON. Throws when a JSON number would not be exact; limits reject such values earlier. */
export function toJsonInteger(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} does not fit a JSON integer.`);
  return number;
}

/**
 * A figure for JSON beside an exact one, capped at `JSON_INTEGER_MAX`. A pocket of 90 million coins in 8 digits exceeds
 * it and must still be shown.
 */
export function cappedJsonInteger(value: bigint): number {
  return Number(value < JSON_INTEGER_MAX ? value : JSON_INTEGER_MAX);
}

/** Fiat minor units as text, always with two decimals: `12.50 USD`. */
export function fiatText(cents: bigint, currency: string): string {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)} ${currency}`;
}

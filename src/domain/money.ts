/** The largest amount of smallest units that a chain knows (uint256); numeric(78,0) holds it. */
export const UNITS_MAX = 2n ** 256n - 1n;

/** The largest integer that a JSON number says exactly to every reader. */
export const JSON_INTEGER_MAX = BigInt(Number.MAX_SAFE_INTEGER);

const DECIMAL = /^(0|[1-9]\d{0,77})(?:\.(\d+))?$/;

/**
 * Reads a decimal amount such as `12.5` as smallest units of a token with `decimals` digits. Null for anything else
 * than plain digits with at most `decimals` of them after the point (no sign, exponent, space, leading zero or
 * separator), and for more than `UNITS_MAX`: an amount is never rounded on the way in.
 */
export function parseUnits(text: string, decimals: number): bigint | null {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  if (whole === undefined || fraction.length > decimals) return null;
  const units = BigInt(whole + fraction.padEnd(decimals, '0'));
  return units > UNITS_MAX ? null : units;
}

/**
 * Writes smallest units as the shortest exact decimal: `25`, `25.5`, `0.000001`. Never an exponent, never rounded, no
 * zeros at the end, so that equal amounts have equal text.
 */
export function formatUnits(units: bigint, decimals: number): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const fraction = digits.slice(point).replace(/0+$/, '');
  return sign + digits.slice(0, point) + (fraction === '' ? '' : `.${fraction}`);
}

/** Division of bigints truncates toward zero, so "up" and "down" hold for amounts that are not negative only. */
function assertAmounts(a: bigint, b: bigint, divisor: bigint): void {
  if (a < 0n || b < 0n || divisor <= 0n) throw new RangeError('Amounts must not be negative, divisors be above zero.');
}

/** `a * b / divisor`, exact in between, rounded down: for what we credit or pay. */
export function mulDivDown(a: bigint, b: bigint, divisor: bigint): bigint {
  assertAmounts(a, b, divisor);
  return (a * b) / divisor;
}

/** `a * b / divisor`, exact in between, rounded up: for what we ask to be paid. */
export function mulDivUp(a: bigint, b: bigint, divisor: bigint): bigint {
  assertAmounts(a, b, divisor);
  return (a * b + divisor - 1n) / divisor;
}

/** `a * b / divisor`, exact in between, rounded to the nearest, halves up: for figures that are only shown. */
export function mulDivHalfUp(a: bigint, b: bigint, divisor: bigint): bigint {
  assertAmounts(a, b, divisor);
  return (2n * a * b + divisor) / (2n * divisor);
}

/**
 * Smallest units in the minor units of api.md 3 (10^`exponent` of them make one coin), rounded down: a remainder below
 * one minor unit stays in the pocket.
 */
export function unitsToMinorDown(units: bigint, decimals: number, exponent: number): bigint {
  return mulDivDown(units, 10n ** BigInt(exponent), 10n ** BigInt(decimals));
}

/**
 * Minor units in smallest units, exactly. Null when the amount is finer than the token can express, which happens only
 * where `exponent` exceeds `decimals` (TRX: 8 against 6).
 */
export function minorToUnits(minor: bigint, decimals: number, exponent: number): bigint | null {
  const scaled = minor * 10n ** BigInt(decimals);
  const divisor = 10n ** BigInt(exponent);
  return scaled % divisor === 0n ? scaled / divisor : null;
}

/** A `*_cents` value for JSON. Throws where a JSON number would not be exact: limits keep such values out before. */
export function toJsonInteger(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} does not fit a JSON integer.`);
  return number;
}

/**
 * A figure for JSON that stands beside an exact one, cut to `JSON_INTEGER_MAX`: a pocket of 90 million coins, counted in
 * 8 digits, is beyond it, and must be shown all the same.
 */
export function cappedJsonInteger(value: bigint): number {
  return Number(value < JSON_INTEGER_MAX ? value : JSON_INTEGER_MAX);
}

/** Many tools show an address by its first and last digits alone, so these are what fraud imitates. */
const DIGITS_SHOWN = 4;
const PREFIX = '0x';

const head = (key: string): string => key.slice(0, PREFIX.length + DIGITS_SHOWN);

/** True for two different EVM addresses with the same digits at both ends. Both in lower case, the form they compare in. */
export function looksLike(key: string, other: string): boolean {
  return key !== other && head(key) === head(other) && key.slice(-DIGITS_SHOWN) === other.slice(-DIGITS_SHOWN);
}

/** The first and the last address in lower case that begins like this one: between them lies whatever looks like it. */
export function addressesBeginningLike(key: string): readonly [first: string, last: string] {
  return [head(key).padEnd(key.length, '0'), head(key).padEnd(key.length, 'f')];
}

/** Many tools show only the first and last digits of an address, so fraudsters imitate these. */
const DIGITS_SHOWN = 4;
const PREFIX = '0x';

const head = (key: string): string => key.slice(0, PREFIX.length + DIGITS_SHOWN);

/** Whether two different EVM addresses have the same digits at both ends. Both must be in lower case. */
export function looksLike(key: string, other: string): boolean {
  return key !== other && head(key) === head(other) && key.slice(-DIGITS_SHOWN) === other.slice(-DIGITS_SHOWN);
}

/** The first and the last address, in lower case, that begin like this one. All look-alikes lie between them. */
export function addressesBeginningLike(key: string): readonly [first: string, last: string] {
  return [head(key).padEnd(key.length, '0'), head(key).padEnd(key.length, 'f')];
}

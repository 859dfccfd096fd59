import { BASE58_DIGITS } from './base58.js';
import type { AddressFamily } from './network.js';

/** Many tools show only the first and last digits of an address, so fraudsters imitate these. */
const DIGITS_SHOWN = 4;

interface Spelling {
  /** What all addresses of the family begin with. */
  readonly prefix: string;
  readonly length: number;
  /** The digits that sort first and last, in the order of the bytes. */
  readonly lowest: string;
  readonly highest: string;
}

const [BASE58_LOWEST = '', BASE58_HIGHEST = ''] = [BASE58_DIGITS.at(0), BASE58_DIGITS.at(-1)];

const SPELLINGS: Readonly<Record<AddressFamily, Spelling>> = {
  evm: { prefix: '0x', length: 42, lowest: '0', highest: 'f' },
  solana: { prefix: '', length: 44, lowest: BASE58_LOWEST, highest: BASE58_HIGHEST },
  tron: { prefix: 'T', length: 34, lowest: BASE58_LOWEST, highest: BASE58_HIGHEST },
};

const head = (family: AddressFamily, key: string): string =>
  key.slice(0, SPELLINGS[family].prefix.length + DIGITS_SHOWN);

/** Whether two different addresses of a family, as keys, have the same digits at both ends. */
export function looksLike(family: AddressFamily, key: string, other: string): boolean {
  return (
    key !== other &&
    head(family, key) === head(family, other) &&
    key.slice(-DIGITS_SHOWN) === other.slice(-DIGITS_SHOWN)
  );
}

/** The first and the last key of the family that begin like this one, in the order of their bytes. */
export function addressesBeginningLike(family: AddressFamily, key: string): readonly [first: string, last: string] {
  const { length, lowest, highest } = SPELLINGS[family];
  // Addresses of solana have 32 to 44 digits: a shorter one sorts before every longer one with the same beginning.
  const first = family === 'solana' ? head(family, key) : head(family, key).padEnd(length, lowest);
  return [first, head(family, key).padEnd(length, highest)];
}

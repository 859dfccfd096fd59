import { randomInt } from 'node:crypto';
import { BASE58_DIGITS } from './base58.js';
import { randomEvmAddress } from './evm-address.js';
import type { AddressFamily } from './network.js';

const SOLANA_LENGTH = 44;
const TRON_LENGTH = 34;

const PLACEHOLDERS: Readonly<Record<AddressFamily, () => string>> = {
  evm: randomEvmAddress,
  solana: () => randomBase58(SOLANA_LENGTH),
  tron: () => `T${randomBase58(TRON_LENGTH - 1)}`,
};

/** Returns a random text in the form of a family's addresses, for an object whose address is not assigned yet. */
export const placeholderAddress = (family: AddressFamily): string => PLACEHOLDERS[family]();

const randomBase58 = (length: number): string =>
  Array.from({ length }, () => BASE58_DIGITS[randomInt(BASE58_DIGITS.length)]).join('');

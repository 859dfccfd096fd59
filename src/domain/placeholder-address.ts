import { randomBytes, randomInt } from 'node:crypto';
import { base58 } from '@scure/base';
import { BASE58_DIGITS } from './base58.js';
import { randomEvmAddress } from './evm-address.js';
import type { AddressFamily } from './network.js';

const SOLANA_BYTES = 32;
const TRON_LENGTH = 34;

const PLACEHOLDERS: Readonly<Record<AddressFamily, () => string>> = {
  evm: randomEvmAddress,
  solana: () => base58.encode(randomBytes(SOLANA_BYTES)),
  tron: () => `T${randomBase58(TRON_LENGTH - 1)}`,
};

/** Returns a random text in the form of a family's addresses, for an object whose address is not assigned yet. */
export const placeholderAddress = (family: AddressFamily): string => PLACEHOLDERS[family]();

const randomBase58 = (length: number): string =>
  Array.from({ length }, () => BASE58_DIGITS[randomInt(BASE58_DIGITS.length)]).join('');

import { sha256 } from '@noble/hashes/sha2.js';
import { base58, createBase58check } from '@scure/base';

const VERSION = '41';
const HASH_DIGITS = 40;

const base58check = createBase58check(sha256);

/** Returns the key of an address, `T...`, from the 20 bytes that contracts see, in hex. */
export const keyOfHash = (hashHex: string): string => base58check.encode(Buffer.from(VERSION + hashHex, 'hex'));

/** Returns the 20 bytes that contracts see of an address, by its key, in hex. */
export function hashOfKey(key: string): string {
  const start = VERSION.length;
  return Buffer.from(base58.decode(key))
    .toString('hex')
    .slice(start, start + HASH_DIGITS);
}

/** Returns the key of an address that is written as the HTTP interface does. */
export const keyOfHex = (hex: string): string => keyOfHash(hex.slice(VERSION.length));

/** Returns an address as the HTTP interface writes it: 42 hexadecimal digits. */
export const hexOfKey = (key: string): string => VERSION + hashOfKey(key);

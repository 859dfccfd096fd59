import { hash } from 'node:crypto';
import { base58 } from '@scure/base';
import { BASE58_DIGITS } from '../../domain/base58.js';

const VERSION = '41';
const HASH_DIGITS = 40;
const CHECKSUM_DIGITS = 8;
/** The digits of a chunk whose values are exact as numbers. */
const CHUNK_DIGITS = 9;
const CHUNK = 58n ** BigInt(CHUNK_DIGITS);
const KEY_LENGTH = 34;

/**
 * Returns the key of an address, `T...`, from the 20 bytes that contracts see, in hex. Every transfer of a block needs it,
 * and this takes half as long as a general base58.
 */
export function keyOfHash(hashHex: string): string {
  const payload = VERSION + hashHex;
  let rest = BigInt(`0x${payload}${checksumOf(payload)}`);
  let key = '';
  for (; rest > 0n; rest /= CHUNK) key = digitsOf(Number(rest % CHUNK)) + key;
  return key.slice(-KEY_LENGTH);
}

/** Returns the 20 bytes that contracts see of an address, by its key, in hex. */
export function hashOfKey(key: string): string {
  const start = VERSION.length;
  return Buffer.from(base58.decode(key))
    .toString('hex')
    .slice(start, start + HASH_DIGITS);
}

/** Returns an address as the HTTP interface writes it: 42 hexadecimal digits. */
export const hexOfKey = (key: string): string => VERSION + hashOfKey(key);

/** The first four bytes of the doubled SHA-256. */
function checksumOf(payload: string): string {
  const once = hash('sha256', Buffer.from(payload, 'hex'), 'buffer');
  return hash('sha256', once, 'hex').slice(0, CHECKSUM_DIGITS);
}

function digitsOf(chunk: number): string {
  let digits = '';
  let rest = chunk;
  for (let n = 0; n < CHUNK_DIGITS; n++) {
    digits = (BASE58_DIGITS[rest % 58] ?? '') + digits;
    rest = Math.floor(rest / 58);
  }
  return digits;
}

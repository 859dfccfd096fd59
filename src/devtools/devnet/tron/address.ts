import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { createBase58check } from '@scure/base';

/** The first byte of every address. */
const VERSION = 0x41;
const ADDRESS_BYTES = 21;
const HASH_BYTES = 20;
const HEX_ADDRESS = /^41[0-9a-f]{40}$/i;

const base58check = createBase58check(sha256);

/** Whether bytes have the form of an address. Source: DecodeUtil.addressValid. */
export const isAddress = (bytes: Uint8Array): boolean => bytes.length === ADDRESS_BYTES && bytes[0] === VERSION;

/** The key of an address in this chain: 42 hexadecimal digits. */
export const addressKey = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

export const addressBytes = (key: string): Uint8Array => Buffer.from(key, 'hex');

/** Returns the shown form of an address, `T...`. */
export const base58Of = (key: string): string => base58check.encode(addressBytes(key));

/** Returns the key of an address in either form, or null when it is none. */
export function parseAddress(text: string): string | null {
  if (HEX_ADDRESS.test(text)) return addressKey(addressBytes(text));
  try {
    const bytes = base58check.decode(text);
    return isAddress(bytes) ? addressKey(bytes) : null;
  } catch {
    return null;
  }
}

/** Returns the key of the address that belongs to an uncompressed public key. */
export const addressOfPublicKey = (point: Uint8Array): string =>
  addressOfEvm(keccak_256(point.subarray(1)).subarray(-HASH_BYTES));

/** Returns the key of the address that contracts see as these 20 bytes. */
export const addressOfEvm = (bytes: Uint8Array): string => `41${Buffer.from(bytes).toString('hex')}`;

/** The 20 bytes that contracts see. */
export const evmBytesOf = (key: string): Uint8Array => addressBytes(key).subarray(1);

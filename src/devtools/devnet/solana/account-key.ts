import { base58 } from '@scure/base';

const KEY_BYTES = 32;
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const SHOWN_MAX = 20_000;

/** 32 bytes in hex: the key of an account, or a blockhash. Base58 is made only for answers, because it is slow. */
export type AccountKey = string;

const shown = new Map<AccountKey, string>();

/** Returns bytes in hex. */
export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

export function bytesOf(hex: string): Uint8Array {
  return Buffer.from(hex, 'hex');
}

/** Returns hex in base58. */
export function base58Of(hex: string): string {
  return base58.encode(bytesOf(hex));
}

/** Returns the address of a key, or the text of a blockhash. */
export function addressOf(key: AccountKey): string {
  let address = shown.get(key);
  if (address === undefined) {
    if (shown.size >= SHOWN_MAX) shown.clear();
    address = base58Of(key);
    shown.set(key, address);
  }
  return address;
}

/** Returns the key of an address; null when it is none. */
export function keyOfAddress(address: string): AccountKey | null {
  if (!ADDRESS.test(address)) return null;
  const bytes = base58.decode(address);
  return bytes.length === KEY_BYTES ? hexOf(bytes) : null;
}

/** Returns the key of an address that this code names. */
export function knownKey(address: string): AccountKey {
  const key = keyOfAddress(address);
  if (key === null) throw new Error(`${address} is no address.`);
  return key;
}

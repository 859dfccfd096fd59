import { createHash } from 'node:crypto';
import { decodeBase58 } from './base58.js';
import { checksumEvmAddress, evmKey } from './evm-address.js';
import type { AddressFamily } from './network.js';

/** `other`: an address of a chain that we do not serve, such as Bitcoin. */
export type ListedFamily = AddressFamily | 'other';

/** An address classified by its form alone. `key` is the spelling by which addresses of a family are compared. */
export interface AddressForm {
  readonly family: ListedFamily;
  readonly key: string;
}

const EVM = /^0x[0-9a-f]{40}$/i;
const TRON_VERSION = 0x41;
const TRON_BYTES = 25;
const SOLANA_BYTES = 32;
/** The length of 32 bytes in base58. Longer texts are no address, and decoding them takes long. */
const BASE58_MAX = 44;

/**
 * Returns the chain family of a listed address. Lists name only the asset, and an asset such as USDT exists on several
 * chains. Lenient where `parseEvmAddress` is strict: an address with a wrong checksum on a list must still match.
 * Tron's hex form (`41...`) counts as `other`.
 */
export function addressFormOf(text: string): AddressForm {
  if (EVM.test(text)) return { family: 'evm', key: evmKey(text) };
  const bytes = text.length <= BASE58_MAX ? decodeBase58(text) : null;
  if (bytes !== null && text.startsWith('T') && isTron(bytes)) return { family: 'tron', key: text };
  if (bytes?.length === SOLANA_BYTES) return { family: 'solana', key: text };
  return { family: 'other', key: text };
}

/** The key of an address in any spelling, if we serve its family; null for everything else. */
export function addressKeyOf(text: string): { readonly family: AddressFamily; readonly key: string } | null {
  const { family, key } = addressFormOf(text);
  return family === 'other' ? null : { family, key };
}

/** The key of an address that is known to be of this family, in whatever case it is written. */
export const addressKeyIn = (family: AddressFamily, address: string): string =>
  family === 'evm' ? evmKey(address) : address;

/** Returns an address as it is shown, from the key of any family: EIP-55 on EVM networks, elsewhere the key itself. */
export const shownAddress = (key: string): string => (EVM.test(key) ? checksumEvmAddress(key) : key);

/** Version, 20 bytes of address, and the first four of the doubled SHA-256 over both. */
function isTron(bytes: Uint8Array): boolean {
  if (bytes.length !== TRON_BYTES || bytes[0] !== TRON_VERSION) return false;
  const body = bytes.subarray(0, -4);
  return sha256(sha256(body)).subarray(0, 4).equals(bytes.subarray(-4));
}

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

import type { AddressFamily } from '../domain/network.js';
import { hashOfKey } from './tron/tron-address.js';

/**
 * Returns an address, by its key, as the blocks of its family write it. Blocks of Tron have its 20 bytes in hex: the key of
 * every recipient would take two hashes, and there are 380 in a block.
 */
export function blockSpelling(family: AddressFamily, key: string): string {
  return family === 'tron' ? hashOfKey(key) : key;
}

import type { AddressFamily } from './network.js';

/** What a transaction's id is by its form; `key` is its one spelling, by which ids of the family are stored and compared. */
export interface TransactionHashForm {
  readonly family: AddressFamily;
  readonly key: string;
}

const EVM = /^0x[0-9a-f]{64}$/i;

/**
 * Reads a transaction's id, or gives null when no family writes one so. Each family says what its key is: case means
 * nothing in Ethereum's hashes, and everything in a base58 signature.
 */
export function transactionHashFormOf(text: string): TransactionHashForm | null {
  return EVM.test(text) ? { family: 'evm', key: text.toLowerCase() } : null;
}

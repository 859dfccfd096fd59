import { evmKey } from './evm-address.js';
import type { AddressFamily } from './network.js';

/** A transaction id classified by its form. `key` is the spelling in which ids of a family are stored and compared. */
export interface TransactionHashForm {
  readonly family: AddressFamily;
  readonly key: string;
}

const EVM = /^0x[0-9a-f]{64}$/i;

/**
 * Parses a transaction id; null when it has the form of no family. Each family has its own key: case means nothing in
 * Ethereum's hashes, and everything in a base58 signature.
 */
export function transactionHashFormOf(text: string): TransactionHashForm | null {
  return EVM.test(text) ? { family: 'evm', key: evmKey(text) } : null;
}

import { decodeBase58 } from './base58.js';
import { evmKey } from './evm-address.js';
import type { AddressFamily } from './network.js';

/** A transaction id classified by its form. `key` is the spelling in which ids of a family are stored and compared. */
export interface TransactionHashForm {
  readonly family: AddressFamily;
  readonly key: string;
}

const EVM = /^0x[0-9a-f]{64}$/i;
/** Tron's ids have no prefix. */
const TRON = /^[0-9a-f]{64}$/i;
/** 64 bytes in base58: a signature, by which Solana names its transaction. */
const SOLANA = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
const SOLANA_BYTES = 64;

/**
 * Parses a transaction id; null when it has the form of no family. Each family has its own key: case means nothing in
 * hexadecimal hashes, and everything in a base58 signature.
 */
export function transactionHashFormOf(text: string): TransactionHashForm | null {
  if (EVM.test(text)) return { family: 'evm', key: evmKey(text) };
  if (TRON.test(text)) return { family: 'tron', key: Buffer.from(text, 'hex').toString('hex') };
  if (!SOLANA.test(text) || decodeBase58(text)?.length !== SOLANA_BYTES) return null;
  return { family: 'solana', key: text };
}

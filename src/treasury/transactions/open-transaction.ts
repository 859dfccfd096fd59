import type { TransactionPurpose } from './transaction-order.js';

/** An outgoing transaction that is not final, with the hashes of all its attempts, the newest first. */
export interface OpenTransaction {
  readonly id: string;
  readonly chainRef: string;
  readonly purpose: TransactionPurpose;
  readonly sender: string;
  readonly nonce: number;
  readonly hashes: readonly string[];
}

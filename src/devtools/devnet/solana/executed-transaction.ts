import type { AccountKey } from './account-key.js';
import type { TransactionErrorJson } from './transaction-error.js';

/** An instruction that a program has called. */
export interface InnerInstruction {
  readonly programIndex: number;
  readonly accounts: Uint8Array;
  readonly data: Uint8Array;
  readonly stackHeight: number;
}

/** What an account of a transaction held of a token. */
export interface TokenBalance {
  readonly accountIndex: number;
  readonly mint: AccountKey;
  readonly owner: AccountKey;
  readonly program: AccountKey;
  readonly amount: bigint;
  readonly decimals: number;
}

export interface ReturnData {
  readonly program: AccountKey;
  readonly data: Uint8Array;
}

/** What a transaction did. */
export interface Outcome {
  readonly error: TransactionErrorJson | null;
  readonly fee: bigint;
  /** By the index of the account. */
  readonly before: readonly bigint[];
  readonly after: readonly bigint[];
  readonly tokensBefore: readonly TokenBalance[];
  readonly tokensAfter: readonly TokenBalance[];
  /** By the index of the instruction; those without calls are missing. */
  readonly inner: readonly (readonly [index: number, calls: readonly InnerInstruction[]])[];
  readonly logs: readonly string[];
  readonly unitsConsumed: number;
  readonly returnData: ReturnData | null;
  readonly loadedWritable: readonly AccountKey[];
  readonly loadedReadonly: readonly AccountKey[];
}

/** A transaction in a block. Its bytes are decoded again for each answer. */
export interface ExecutedTransaction {
  /** In hex. */
  readonly signature: string;
  readonly bytes: Uint8Array;
  readonly slot: number;
  /** Its place in the block. */
  readonly index: number;
  readonly outcome: Outcome;
}

import type { Tx } from '../platform/database/database.js';

/** How an outgoing transaction ended, by a final block. */
export interface TransactionOutcome {
  readonly transactionId: string;
  /** What it was for. */
  readonly purposeId: string;
  readonly succeeded: boolean;
  /** Of the attempt that the chain took. */
  readonly txHash: string;
}

/** What a transaction is to pay, by the order behind it: never read from the transaction itself. */
export interface StandingOrder {
  readonly chainRef: string;
  /** Contract (lower case) or `NATIVE_COIN`. */
  readonly token: string;
  /** Smallest units. */
  readonly amount: bigint;
  /** Lower case. */
  readonly recipient: string;
}

/** Whoever the treasury works for is told here, so that the treasury knows nothing of withdrawals. */
export interface TransactionOutcomes {
  /** The order behind a transaction, while it may be paid: null once it has ended, or while nothing may be signed for it. */
  standingOrder(tx: Tx, purposeId: string): Promise<StandingOrder | null>;
  /** A node has taken the transaction, or a replacement of it. Joins the caller's transaction. */
  wasBroadcast(tx: Tx, fact: { readonly purposeId: string; readonly txHash: string }): Promise<void>;
  /** The chain has made the transaction final. Called once, in the transaction that writes it down. */
  ended(tx: Tx, outcome: TransactionOutcome): Promise<void>;
}

/** Injection token of the one implementation. */
export const TRANSACTION_OUTCOMES = Symbol('TransactionOutcomes');

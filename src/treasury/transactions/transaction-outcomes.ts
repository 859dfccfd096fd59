import type { LogEntry } from '../../chains/log-entry.js';
import type { Tx } from '../../platform/database/database.js';
import type { Vault } from '../../vault/vault.js';
import type { Authorizations } from './checked-signature.js';
import type { StandingOrder, TransactionPurpose } from './standing-order.js';

/** How an outgoing transaction ended, by a final block. */
export interface TransactionOutcome {
  readonly transactionId: string;
  /** What it was for. */
  readonly purposeId: string;
  readonly succeeded: boolean;
  /** Of the attempt that the chain took. */
  readonly txHash: string;
  readonly height: number;
  readonly logs: readonly LogEntry[];
}

/** Whoever the treasury works for is told here, so that the treasury knows nothing of withdrawals or sweeps. */
export interface TransactionOutcomes {
  /**
   * The order behind a transaction that is signed already, of which another version is to be signed: null once it has
   * ended, and why where none may be signed for it.
   */
  standingOrder(tx: Tx, purposeId: string): Promise<StandingOrder | 'address_blocked' | null>;
  /** What other addresses sign for it, checked. Asked before anything is locked, since it may take long. */
  authorizations(vault: Vault, purposeId: string): Promise<Authorizations>;
  /** A node has taken the transaction, or a replacement of it. Joins the caller's transaction. */
  wasBroadcast(tx: Tx, fact: { readonly purposeId: string; readonly txHash: string }): Promise<void>;
  /** The chain has made the transaction final. Called once, in the transaction that writes it down. */
  ended(tx: Tx, outcome: TransactionOutcome): Promise<void>;
}

/** Who is told, by what a transaction is for. */
export type OutcomesByPurpose = Readonly<Record<TransactionPurpose, TransactionOutcomes>>;

/** Injection token of `OutcomesByPurpose`. */
export const TRANSACTION_OUTCOMES = Symbol('TransactionOutcomes');

/** How the failpoints of each purpose begin. */
export const FAILPOINT_PREFIXES = {
  withdrawal: 'wd',
  sweep: 'sweep',
  contract: 'contract',
  deposit_return: 'return',
  loss: 'loss',
} as const satisfies Record<TransactionPurpose, string>;

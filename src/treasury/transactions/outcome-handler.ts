import type { LogEntry } from '../../chains/log-entry.js';
import type { Tx } from '../../platform/database/database.js';
import type { Vault } from '../../vault/vault.js';
import { type Authorizations, NO_AUTHORIZATIONS } from './checked-signature.js';
import type { TransactionOrder, TransactionPurpose } from './transaction-order.js';

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

/** That a node has taken a transaction, or a replacement of it. */
export interface BroadcastFact {
  readonly purposeId: string;
  readonly txHash: string;
}

/**
 * What becomes of the orders of one purpose once transactions are signed for them. The treasury calls the handler of each
 * purpose, so that it knows nothing of withdrawals or sweeps. Everything joins the caller's transaction.
 */
export abstract class OutcomeHandler {
  /**
   * The order behind a transaction that is signed already, of which another version is to be signed: null once it has
   * ended, and why where none may be signed for it.
   */
  abstract orderOf(tx: Tx, purposeId: string): Promise<TransactionOrder | 'address_blocked' | null>;

  /** What other addresses sign for an order, checked. Asked before anything is locked, since it may take long. */
  async authorizations(_vault: Vault, _purposeId: string): Promise<Authorizations> {
    return NO_AUTHORIZATIONS;
  }

  /** Nodes have taken transactions. */
  async wereBroadcast(_tx: Tx, _facts: readonly BroadcastFact[]): Promise<void> {}

  /** The chain has made transactions final. Called once for each, in the transaction that records it. */
  abstract ended(tx: Tx, outcomes: readonly TransactionOutcome[]): Promise<void>;
}

/** The handlers by what a transaction is for. */
export type OutcomeHandlers = Readonly<Record<TransactionPurpose, OutcomeHandler>>;

/** Injection token of `OutcomeHandlers`. */
export const OUTCOME_HANDLERS = Symbol('OutcomeHandlers');

/** How the failpoints of each purpose begin. */
export const FAILPOINT_PREFIXES = {
  withdrawal: 'wd',
  sweep: 'sweep',
  contract: 'contract',
  deposit_return: 'return',
  loss: 'loss',
} as const satisfies Record<TransactionPurpose, string>;

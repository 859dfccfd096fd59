import type { LogEntry } from '../../chains/log-entry.js';
import type { Tx } from '../../platform/database/database.js';
import type { Vault } from '../../vault/vault.js';
import { type Authorizations, NO_AUTHORIZATIONS } from './checked-signature.js';
import type { TransactionOrder, TransactionPurpose } from './transaction-order.js';

/** Tokens that left a hot wallet by a loss, in smallest units. */
export interface LostAmount {
  readonly token: string;
  readonly amount: bigint;
}

/** A payment of which the issuer of its token took a part: its amount, and what the recipient got, in smallest units. */
export interface ShortPayment {
  readonly amount: bigint;
  readonly arrived: bigint;
}

/** The outcome of an outgoing transaction, by a final block. */
export interface TransactionOutcome {
  readonly transactionId: string;
  /** The id of its order. */
  readonly purposeId: string;
  readonly succeeded: boolean;
  /** Of the attempt that was mined. */
  readonly txHash: string;
  readonly height: number;
  /** As `MinedAttempt.fee`. */
  readonly fee: bigint;
  /** As `MinedAttempt.returnedRent`. */
  readonly returnedRent: bigint;
  /** As `MinedAttempt.lost`. */
  readonly lost: readonly LostAmount[] | null;
  readonly logs: readonly LogEntry[];
}

/** A node has accepted a transaction, or a replacement of it. */
export interface BroadcastFact {
  readonly purposeId: string;
  readonly txHash: string;
}

/**
 * Handles the orders of one purpose once transactions are signed for them. The treasury calls the handler of each
 * purpose and imports no room that pays by it. Everything joins the caller's transaction.
 */
export abstract class OutcomeHandler {
  /**
   * Returns the order of a signed transaction that is about to be replaced: null once the order has ended, or the
   * reason why it must not be signed for.
   */
  abstract orderOf(tx: Tx, purposeId: string): Promise<TransactionOrder | 'address_blocked' | null>;

  /**
   * Returns the checked authorizations of other addresses for an order. Called before anything is locked, since it may
   * take long.
   */
  async authorizations(_vault: Vault, _purposeId: string): Promise<Authorizations> {
    return NO_AUTHORIZATIONS;
  }

  /** Records that nodes accepted transactions. */
  async wereBroadcast(_tx: Tx, _facts: readonly BroadcastFact[]): Promise<void> {}

  /** Reopens an order whose transaction has expired, so that it can get another one. Calls never expire. */
  async reopen(_tx: Tx, purposeId: string): Promise<void> {
    throw new Error(`The transaction of ${purposeId} cannot expire.`);
  }

  /** Ends the orders of transactions that became final. Called once for each, in the transaction that records it. */
  abstract ended(tx: Tx, outcomes: readonly TransactionOutcome[]): Promise<void>;
}

/** The handlers by purpose. */
export type OutcomeHandlers = Readonly<Record<TransactionPurpose, OutcomeHandler>>;

/** Injection token of `OutcomeHandlers`. */
export const OUTCOME_HANDLERS = Symbol('OutcomeHandlers');

/** The prefix of each purpose's failpoints. */
export const FAILPOINT_PREFIXES = {
  withdrawal: 'wd',
  sweep: 'sweep',
  contract: 'contract',
  deposit_return: 'return',
  loss: 'loss',
  funding: 'funding',
  energy_loan: 'energy_loan',
  energy_return: 'energy_return',
  stake: 'stake',
} as const satisfies Record<TransactionPurpose, string>;

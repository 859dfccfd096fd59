import type { FeeStrategy } from '../domain/outgoing-payment.js';
import type { PaymentConditions, PlannedPayment } from './expiring.js';
import type { SignedBytes, UnsignedTransaction } from './expiring-transaction.js';

/** Funds of a deposit address in one token, or in the coin. */
export interface SweptFunds {
  readonly token: string;
  readonly decimals: number;
  /**
   * Smallest units; 0 where only the account is closed. Of the coin it is everything: an address may hold nothing, or no less
   * than the chain asks for.
   */
  readonly amount: bigint;
  /** Closes the account of the token, which holds nothing more: what it was opened with goes to the hot wallet. */
  readonly closesAccount: boolean;
}

/** A deposit address whose funds go to the hot wallet. */
export interface SweepSource {
  readonly owner: string;
  readonly funds: readonly SweptFunds[];
}

/** Where a sweep brings funds. */
export interface SweepTarget {
  readonly hotWallet: string;
  /** Tokens that the hot wallet has no account for yet. */
  readonly missingAccounts: readonly string[];
}

/** A sweep that is ready for the vault. It succeeds or fails as a whole. */
export interface PlannedSweep<
  Unsigned extends UnsignedTransaction = UnsignedTransaction,
> extends PlannedPayment<Unsigned> {
  /** Those of the sources, from the first on, that fit into the transaction. */
  readonly sources: readonly SweepSource[];
}

/** Plans and checks sweeps on a chain whose transactions expire. It asks no node. */
export interface ExpiringSweeper {
  /** What sweeping one address alone in one token is expected to cost at most, in smallest units of the coin. */
  expectedCost(at: PaymentConditions): bigint;
  /** The most that a sweep costs which opens no accounts, in smallest units of the coin. */
  highestCost(at: PaymentConditions): bigint;
  /**
   * Returns a sweep of as many sources as fit into one transaction. The hot wallet pays its fee. Two plans with different
   * sequence numbers have different ids.
   * @throws RangeError when not even the first source fits
   */
  plan(
    target: SweepTarget,
    sources: readonly SweepSource[],
    fee: { readonly strategy: FeeStrategy; readonly sequence: number },
    at: PaymentConditions,
  ): PlannedSweep;
  /** Does for a sweep what `ExpiringPayer.check` does for a payment. @throws SignedMismatch */
  check(signed: SignedBytes, planned: PlannedSweep, target: SweepTarget): void;
}

import type { FeeStrategy } from '../domain/outgoing-payment.js';
import type { PaymentConditions, PlannedPayment } from './expiring.js';
import type { SignedBytes, UnsignedTransaction } from './expiring-transaction.js';

/** Funds of a deposit address in one token, or in the coin. */
export interface SweptFunds {
  readonly token: string;
  /** The account of the address that holds them; null for the one that belongs to the token. */
  readonly account: string | null;
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

/** What a sweep pays, and what separates it from an equal one. */
export interface SweepFee {
  readonly strategy: FeeStrategy;
  readonly sequence: number;
  /** The most that the only source pays itself, in smallest units of the coin; null where the hot wallet pays. */
  readonly costMax: bigint | null;
}

/** Plans and checks sweeps on a chain whose transactions expire. It asks no node. */
export interface ExpiringSweeper {
  /** What sweeping one address alone in one token is expected to cost at most, in smallest units of the coin. */
  expectedCost(at: PaymentConditions): bigint;
  /** The most that a sweep costs which opens no accounts, in smallest units of the coin. */
  highestCost(at: PaymentConditions): bigint;
  /**
   * Returns a sweep of as many sources as fit into one transaction. Two plans with different sequence numbers have different
   * ids.
   * @throws RangeError when not even the first source fits
   */
  plan(target: SweepTarget, sources: readonly SweepSource[], fee: SweepFee, at: PaymentConditions): PlannedSweep;
  /** Does for a sweep what `ExpiringPayer.check` does for a payment. @throws SignedMismatch */
  check(signed: SignedBytes, planned: PlannedSweep, target: SweepTarget): void;
}

/** What a sweep costs the address that it takes funds from, in smallest units of the coin. */
export interface OwnCost {
  readonly most: bigint;
  /** As the chain is now. */
  readonly now: bigint;
  /** With energy that the hot wallet lends; null where that has none to lend, or the sweep uses none. */
  readonly lent: LentCost | null;
}

/** What a sweep needs whose energy the hot wallet lends, in smallest units of the coin. */
export interface LentCost {
  /** The stake that gives the energy. */
  readonly stake: bigint;
  /** The coins that the address must hold beside it: for its bytes, or to be active at all. */
  readonly coins: bigint;
  /** The most that the address may pay where the energy is not enough. It is not sent to it. */
  readonly most: bigint;
}

/**
 * Asks a node of a chain on which addresses pay for their own sweeps: each has one source with one token, and the hot wallet
 * sends the address what it lacks first. It may throw `ChainUnavailable`.
 */
export interface OwnCostClient {
  /** Returns what each sweep costs its source at the newest state; null where it would fail. */
  ownCosts(
    sources: readonly SweepSource[],
    hotWallet: string,
    at: PaymentConditions,
  ): Promise<readonly (OwnCost | null)[]>;
}

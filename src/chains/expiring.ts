import type { CreditedObstacle } from '../domain/account-obstacle.js';
import type { FeeStrategy } from '../domain/outgoing-payment.js';
import type { BlockRef } from './chain.js';
import type { SignedBytes, UnsignedTransaction } from './expiring-transaction.js';
import type { SentReader } from './expiring-sent.js';
import type { SendingClient } from './outgoing.js';

/**
 * Fees and the newest block of a chain at one moment, as its family reads and writes them. A row keeps them as JSON, so
 * large numbers are texts.
 */
export type PaymentConditions = Readonly<Record<string, ConditionValue>>;
type ConditionValue = string | number | readonly string[] | { readonly [name: string]: ConditionValue };

/** A payment of a hot wallet, as its order states it. */
export interface ExpiringPayment {
  /** Keys of addresses: the hot wallet, and the destination. */
  readonly sender: string;
  readonly recipient: string;
  /** Key of the token's contract; `NATIVE_COIN` for the chain's own coin. */
  readonly token: string;
  /** Digits after the point of one whole token. */
  readonly decimals: number;
  /** Smallest units. */
  readonly amount: bigint;
}

/** When a signed transaction can no longer be mined. */
export interface Expiry {
  /** The block that its bytes name; it cannot be in that block or below. */
  readonly after: BlockRef;
  /**
   * The last moment at which a block may contain it: a count of blocks on solana. On tron milliseconds, and what counts is the
   * time of the block before.
   */
  readonly until: number;
}

/** What a transaction may use of the chain's machine, and offers for it. */
export interface FeeTerms {
  /** Compute units on solana; on tron energy, and bytes for a payment of coins. */
  readonly limit: bigint;
  /** Of one unit: millionths of a lamport on solana, sun on tron. */
  readonly price: bigint;
}

/** A payment that is ready for the vault. */
export interface PlannedPayment<Unsigned extends UnsignedTransaction = UnsignedTransaction> {
  readonly unsigned: Unsigned;
  readonly fee: FeeTerms;
  readonly expiry: Expiry;
  /** The most that it costs the sender beside the amount, in smallest units of the coin. */
  readonly costMax: bigint;
}

/**
 * Plans and checks the transactions of a chain on which a transaction excludes no other, but expires. It asks no node.
 */
export interface ExpiringPayer {
  /** Older conditions cannot be signed with: too little of the lifetime would be left. */
  readonly signableForSeconds: number;
  /**
   * Returns what a payment of a token is expected to cost, in smallest units of the coin.
   * @param opensAccount whether the destination needs a new account; unknown (null) counts as needed
   */
  expectedCost(token: string, strategy: FeeStrategy, opensAccount: boolean | null, at: PaymentConditions): bigint;
  /** Whether a payment of a token brings its recipient the whole amount: the issuer of some can take a fee of transfers. */
  paysWhole(token: string, at: PaymentConditions): boolean;
  /** The least amount of the coin that an address without any can receive, in smallest units. */
  leastCoin(at: PaymentConditions): bigint;
  /**
   * Returns the transaction of a payment. Two plans of one sender with different sequence numbers have different ids, also
   * when all else is equal.
   */
  plan(payment: ExpiringPayment, strategy: FeeStrategy, sequence: number, at: PaymentConditions): PlannedPayment;
  /**
   * Decodes the signed bytes with other code than the signer's, and compares every part with the plan, and the plan with
   * the payment.
   * @throws SignedMismatch
   */
  check(signed: SignedBytes, planned: PlannedPayment, payment: ExpiringPayment): void;
}

/** What a transaction changed for one owner. The coins of a token account are its rent, and count for the account itself. */
export interface BalanceChange {
  readonly owner: string;
  readonly token: string;
  /** Smallest units, negative for a loss. The fee is a loss of its payer. */
  readonly units: bigint;
}

/** A transaction in a final block. A failed one changed nothing but the fee. */
export interface FinalTransaction {
  readonly txHash: string;
  readonly blockHash: string;
  readonly height: number;
  readonly succeeded: boolean;
  /** Smallest units of the coin. */
  readonly fee: bigint;
  readonly changes: readonly BalanceChange[];
}

/** A signed transaction that is not final. */
export interface LiveAttempt {
  readonly txHash: string;
  readonly expiry: Expiry;
}

/** Balances at a final block. */
export interface FinalBalances {
  readonly asOf: BlockRef;
  /** Smallest units, in the order asked. */
  readonly units: readonly bigint[];
  /** The same with the coins that the owner cannot pay with now: staked, lent to others, or on their way back. */
  readonly owned: readonly bigint[];
  /** Of the staked coins, those whose energy is lent. */
  readonly lent: bigint;
}

/** Where an address holds funds of a token (`NATIVE_COIN` too). */
export interface FundsPlace {
  readonly owner: string;
  readonly token: string;
  /** Another account of the owner than the one that belongs to the token (Solana). */
  readonly account?: string;
}

/** What an address holds of a token at a final block. */
export interface PlacedFunds {
  /** Smallest units. */
  readonly units: bigint;
  /** Whether the address has an account for the token; always true for the coin. */
  readonly hasAccount: boolean;
  readonly isFrozenByIssuer: boolean;
  /** Why another account than the one of the token cannot be swept; left out where it can. */
  readonly obstacle?: CreditedObstacle;
}

/** A transaction that an address paid the fee of. */
export interface SentTransaction {
  readonly txHash: string;
  readonly height: number;
}

/** A transaction by which another address says that it pays an address, whether or not that succeeded. */
export interface TowardsTransaction extends SentTransaction {
  /** Key of the address that acted, and paid the fee. */
  readonly sender: string;
}

/** Transactions of an address in final blocks. */
export interface SentTransactions {
  readonly sent: readonly SentTransaction[];
  /** Those of others that pay it; always none where its own transactions sweep deposit addresses. */
  readonly towards: readonly TowardsTransaction[];
  /** Every one up to this height is among them. */
  readonly completeUpTo: number;
  /** Whether there are final blocks above that height, which the next call reads. */
  readonly hasMore: boolean;
}

/** Why a payment that was executed without sending it fails: `rejects` by its destination or its token. */
export type ExpiringOutcome = 'accepts' | 'rejects';

/** Pays on a chain whose transactions expire, through one node. Every method may throw `ChainUnavailable`. */
export interface ExpiringClient extends SendingClient, SentReader {
  /**
   * Returns the fees and the newest block to sign with.
   * @param payer key of the hot wallet, where fees depend on what an address holds; null when it is not known
   */
  conditions(payer: string | null): Promise<PaymentConditions>;
  /** Returns transactions in final blocks with their changes of these tokens and of the coin; null = not known as final. */
  finalTransactionsOf(
    txHashes: readonly string[],
    tokens: readonly string[],
  ): Promise<readonly (FinalTransaction | null)[]>;
  /** Returns how far the newest final block is, in the measure of `Expiry.until`. */
  finalProgress(): Promise<number>;
  /** Returns the same as of the final block at a height; null when the node does not have that block. */
  progressAt(height: number): Promise<number | null>;
  /**
   * Whether final blocks prove that an attempt was not mined and never will be: all of them, from the block after which it
   * was valid to the first past its expiry, were read, each is the parent of the next, and none contains it.
   */
  isDead(attempt: LiveAttempt): Promise<boolean>;
  /** Returns what an address owns of these tokens (`NATIVE_COIN` too) at a final block, at `since` or later. */
  finalBalancesOf(owner: string, tokens: readonly string[], since: number): Promise<FinalBalances>;
  /** Returns what addresses hold at final blocks, at `since` or later, in the order asked. */
  finalFundsAt(places: readonly FundsPlace[], since: number): Promise<readonly PlacedFunds[]>;
  /** Returns the transactions in final blocks above a height whose fee an address paid, and those that pay it. */
  sentBy(payer: string, above: number): Promise<SentTransactions>;
  /** Whether the destination has no account for the token yet, so that a payment opens one; of the coin: whether it holds none. */
  needsAccount(owner: string, token: string): Promise<boolean>;
  /** Whether the token's issuer has frozen what the owner has of it. */
  isFrozenByIssuer(token: string, owner: string): Promise<boolean>;
  /**
   * Executes planned payments on the newest state without sending them. Null where that says nothing about the
   * destination, such as when the sender has too little.
   */
  simulate(planned: readonly PlannedPayment[]): Promise<readonly (ExpiringOutcome | null)[]>;
}

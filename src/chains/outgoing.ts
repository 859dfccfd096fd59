import type { FeeHistory, GasFees } from '../domain/network-fee.js';
import type { LogEntry } from './log-entry.js';

/** The block after which something is asked: by its hash, so that no other block answers in its place. */
export interface AtBlock {
  readonly hash: string;
}

/** What a node said to signed bytes. Nothing is decided by it: whether they are paid is in receipts alone. */
export type BroadcastAnswer =
  | { readonly accepted: true }
  /** The message is for logs. It may mean that the node has the transaction already, or that it never will. */
  | { readonly accepted: false; readonly message: string };

/** A balance of an address: of a token (contract), or of the chain's own coin (`NATIVE_COIN`). Both in lower case. */
export interface HoldingQuery {
  readonly address: string;
  readonly token: string;
}

/** How an address stands after a block. */
export interface Holding {
  /** Of the token asked for, in smallest units. */
  readonly units: bigint;
  /** Its next nonce. */
  readonly nonce: number;
  /** Its code: `0x` for a plain address. */
  readonly code: string;
}

/** What became of a transaction in the block that took it. That block may be taken back until it is final. */
export interface TransactionReceipt {
  readonly txHash: string;
  readonly blockHash: string;
  readonly height: number;
  /** False for one that was reverted: its nonce is used and its gas is paid all the same. */
  readonly succeeded: boolean;
  readonly gasUsed: bigint;
  /** Wei per gas, base fee and tip together. */
  readonly effectiveGasPrice: bigint;
  readonly logs: readonly LogEntry[];
}

/** A transaction that somebody signed, as a node knows it. */
export interface KnownTransaction {
  readonly txHash: string;
  /** Its signed bytes, proven by the hash; null for a type that is not known here. */
  readonly raw: string | null;
}

/** A payment of a hot wallet as it is to be signed, to be tried out first. Addresses are in lower case. */
export interface SimulatedPayment {
  readonly sender: string;
  /** Contract, or `NATIVE_COIN`. */
  readonly token: string;
  readonly recipient: string;
  /** Smallest units. */
  readonly amount: bigint;
  /** What the transaction may use, exactly. */
  readonly gasLimit: bigint;
  /** What it would offer now: a contract can see the gas price. Later fees may differ a little when it is signed. */
  readonly fees: GasFees;
}

/**
 * What became of a payment that was tried out: `rejects` where the destination or the token refuses it whatever the gas,
 * `needs_gas` where it succeeds with more gas than it may use.
 */
export type SimulatedOutcome = 'accepts' | 'rejects' | 'needs_gas';

/** One node of one chain, as far as it is needed to pay. Every method may throw `ChainUnavailable`. */
export interface OutgoingClient {
  /** What gas cost in the last 20 blocks. */
  feeHistory(): Promise<FeeHistory>;
  /** Hands signed bytes (0x, hex) to the node. The same bytes may be handed over any number of times. */
  broadcast(raw: string): Promise<BroadcastAnswer>;
  /** The same with the bytes of many transactions in few requests; the answers in the order of the bytes. */
  broadcastAll(raws: readonly string[]): Promise<readonly BroadcastAnswer[]>;
  /** Whether the node has the transaction, mined or not. False says nothing of other nodes. */
  isKnown(txHash: string): Promise<boolean>;
  /** The same of many transactions, in the order asked. */
  areKnown(txHashes: readonly string[]): Promise<readonly boolean[]>;
  /** A transaction by its hash, mined or not. Null = unknown to this node. */
  transaction(txHash: string): Promise<KnownTransaction | null>;
  /** The receipts of transactions, in the order asked. Null = unknown to this node, which is never "failed". */
  receiptsOf(txHashes: readonly string[]): Promise<readonly (TransactionReceipt | null)[]>;
  /** So many transactions the address (lower case) had sent after this block: its next nonce then. */
  nonceAt(block: AtBlock, address: string): Promise<number>;
  /** The same, with what this node knows of and no block holds yet, as far as no nonce is missing in between. */
  pendingNonce(address: string): Promise<number>;
  /** What the address held of each token after this block, in smallest units. */
  tokenBalancesAt(block: AtBlock, tokens: readonly string[], address: string): Promise<readonly bigint[]>;
  /** Whether the token's issuer has put the address on the token's black list; false for a token that has none. */
  isFrozenByIssuer(token: string, address: string): Promise<boolean>;
  /** The code at addresses (lower case) after this block, in the order asked; `0x` where there is none. */
  codesAt(block: AtBlock, addresses: readonly string[]): Promise<readonly string[]>;
  /**
   * Executes payments on the state of this block, each by itself, and sends nothing; in the order asked. Null in the place
   * of a payment that says nothing of its destination: the sender lacks the amount there, or the token's issuer has frozen
   * it. Null for all of them when the node executes no calls at this block.
   */
  simulate(block: AtBlock, payments: readonly SimulatedPayment[]): Promise<readonly (SimulatedOutcome | null)[] | null>;
  /** How addresses stood after this block, in the order asked. */
  holdingsAt(block: AtBlock, holdings: readonly HoldingQuery[]): Promise<readonly Holding[]>;
}

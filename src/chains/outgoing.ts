import type { FeeHistory, GasFees } from '../domain/network-fee.js';
import type { LogEntry } from './log-entry.js';

/** The block whose state is queried, by its hash, so that no other block at its height answers. */
export interface AtBlock {
  readonly hash: string;
}

/** A node's answer to a broadcast. It decides nothing: only receipts prove a payment. */
export type BroadcastAnswer =
  | { readonly accepted: true }
  /** The message is for logs. The node may have the transaction already, or may never accept it. */
  | { readonly accepted: false; readonly message: string };

/** A balance of an address: of a token (contract), or of the chain's own coin (`NATIVE_COIN`). Both in lower case. */
export interface HoldingQuery {
  readonly address: string;
  readonly token: string;
}

/** The state of an address after a block. */
export interface Holding {
  /** Balance of the queried token, in smallest units. */
  readonly units: bigint;
  /** Its next nonce. */
  readonly nonce: number;
  /** Its code: `0x` for a plain address. */
  readonly code: string;
}

/** The outcome of a transaction in its block. The block may be reorged until it is final. */
export interface TransactionReceipt {
  readonly txHash: string;
  readonly blockHash: string;
  readonly height: number;
  /** False for a reverted transaction, which still uses its nonce and pays for gas. */
  readonly succeeded: boolean;
  readonly gasUsed: bigint;
  /** Wei per gas, base fee and tip together. */
  readonly effectiveGasPrice: bigint;
  readonly logs: readonly LogEntry[];
}

/** A signed transaction that a node has. */
export interface KnownTransaction {
  readonly txHash: string;
  /** Its signed bytes, proven by the hash; null for an unsupported type. */
  readonly raw: string | null;
}

/** A payment of a hot wallet to simulate before it is signed. Addresses are in lower case. */
export interface SimulatedPayment {
  readonly sender: string;
  /** Contract, or `NATIVE_COIN`. */
  readonly token: string;
  readonly recipient: string;
  /** Smallest units. */
  readonly amount: bigint;
  /** The gas limit of the transaction, exactly. */
  readonly gasLimit: bigint;
  /** The fees it would offer now, because a contract can see the gas price. The signed fees may differ a little. */
  readonly fees: GasFees;
}

/**
 * The outcome of a simulated payment: `rejects` when the destination or the token refuses it with any gas, `needs_gas` when
 * it succeeds only with more gas than its limit.
 */
export type SimulatedOutcome = 'accepts' | 'rejects' | 'needs_gas';

/** Sends signed bytes through one node, on a chain of any family. Every method may throw `ChainUnavailable`. */
export interface SendingClient {
  /** Sends signed bytes; the answers in the order of the bytes. The same bytes may be sent any number of times. */
  broadcastAll(raws: readonly string[]): Promise<readonly BroadcastAnswer[]>;
  /** Whether the node has each transaction, mined or not. False says nothing of other nodes. */
  areKnown(txHashes: readonly string[]): Promise<readonly boolean[]>;
}

/** Pays on one chain with account nonces through one node. Every method may throw `ChainUnavailable`. */
export interface OutgoingClient extends SendingClient {
  /** Returns the gas prices of the last 20 blocks. */
  feeHistory(): Promise<FeeHistory>;
  /** Sends signed bytes (0x, hex) to the node. The same bytes may be sent any number of times. */
  broadcast(raw: string): Promise<BroadcastAnswer>;
  /** Whether the node has the transaction, mined or not. False says nothing of other nodes. */
  isKnown(txHash: string): Promise<boolean>;
  /** A transaction by its hash, mined or not. Null = unknown to this node. */
  transaction(txHash: string): Promise<KnownTransaction | null>;
  /** Returns the receipts of transactions in the given order. Null = unknown to this node, which never means failed. */
  receiptsOf(txHashes: readonly string[]): Promise<readonly (TransactionReceipt | null)[]>;
  /** Returns the next nonce of the address (lower case) after this block. */
  nonceAt(block: AtBlock, address: string): Promise<number>;
  /** Returns the next nonce including pending transactions of this node, up to the first gap. */
  pendingNonce(address: string): Promise<number>;
  /** Returns the address's balance of each token after this block, in smallest units. */
  tokenBalancesAt(block: AtBlock, tokens: readonly string[], address: string): Promise<readonly bigint[]>;
  /** Returns whether the token's issuer has frozen the address; false for a token without a black list. */
  isFrozenByIssuer(token: string, address: string): Promise<boolean>;
  /** Returns the code at addresses (lower case) after this block, in the given order; `0x` where there is none. */
  codesAt(block: AtBlock, addresses: readonly string[]): Promise<readonly string[]>;
  /**
   * Simulates payments on the state of this block, each separately, without sending; returns outcomes in the given order.
   * An outcome is null when it says nothing about the destination: the sender has too little there, or the token's issuer
   * has frozen the sender. Returns null when the node executes no calls at this block.
   */
  simulate(block: AtBlock, payments: readonly SimulatedPayment[]): Promise<readonly (SimulatedOutcome | null)[] | null>;
  /** Returns the state of addresses after this block, in the given order. */
  holdingsAt(block: AtBlock, holdings: readonly HoldingQuery[]): Promise<readonly Holding[]>;
}

import type { Network } from '../domain/network.js';
import type { NodeFacts } from './node-facts.js';
import type { OutgoingClient } from './outgoing.js';

/** A block by height and hash. Heights fit a JS number for every network. */
export interface BlockRef {
  readonly height: number;
  readonly hash: string;
}

/** The header of a block. `time` is by the block's own clock. */
export interface BlockHeader extends BlockRef {
  readonly parentHash: string;
  readonly time: Date;
  /** The bloom filter of its logs' contracts and topics as hex (EVM only). */
  readonly logsBloom?: string;
}

/** A block whose transfers are read, with the bloom of its header. */
export type LoggedBlock = BlockRef & Pick<BlockHeader, 'logsBloom'>;

/** The position of a transfer that is the transaction itself and not one of its logs, on chains that are read by blocks. */
export const NATIVE_POSITION = -1;

/** A transfer reported by a chain client, not stored yet (see "sighting" in docs/architecture.md). */
export interface Sighting {
  readonly txHash: string;
  /**
   * Its place in the transaction. On chains that are read by blocks the index of the log within its receipt, which survives
   * a reorg, unlike the index within the block, or `NATIVE_POSITION` for the chain's own coin. On chains that are read by
   * accounts the index of the receiving account among the accounts of the transaction.
   */
  readonly position: number;
  /** Key of the token's contract; `NATIVE_COIN` for the chain's own coin. */
  readonly token: string;
  readonly from: string;
  /** Key of the recipient. */
  readonly to: string;
  /** Smallest units, always above zero. */
  readonly amount: bigint;
}

/** The identity of the chain that a node serves. It must never change. */
export interface ChainIdentity {
  /** Decimal for EVM; elsewhere the genesis hash. */
  readonly chainId: string;
  readonly genesisHash: string;
}

/** The rule by which a block is final. */
export interface FinalityRule {
  /** Blocks required on top, in addition to the node's `finalized` tag. 0 = the tag alone decides. */
  readonly minDepth: number;
}

/**
 * Asks one node of one chain of any family. Every method may throw `ChainUnavailable`: the caller then tries again later and
 * moves no cursor. Intents, merchants and prices are unknown here.
 */
export interface NodeClient {
  readonly network: Network;
  /** Returns the identity of the chain that the node serves. */
  identity(): Promise<ChainIdentity>;
  /** Returns the newest block that payments are seen in. */
  head(): Promise<BlockHeader>;
  /** Returns the canonical block at `height`, or null when the node has none, such as at a skipped slot. */
  headerAt(height: number): Promise<BlockHeader | null>;
  /** Returns `headerAt` for many heights in few requests, in the order of `heights`, to catch up after a downtime. */
  headersAt(heights: readonly number[]): Promise<readonly (BlockHeader | null)[]>;
  /** Returns the height up to which blocks are final by the network's rule, given the head just read. */
  finalizedHeight(head: BlockRef): Promise<number>;
  /** Returns the decimals that the token's contract states, or null when there is no token at that address. */
  decimalsOf(token: string): Promise<number | null>;
  /** Returns what the node says about itself, and whether it has what the service needs, for an operator. */
  facts(): Promise<NodeFacts>;
  /** Calls `onHead` when the node announces a block. This is a hint: losing it costs latency, never money. */
  watchHeads(onHead: () => void): { close(): void };
  /** Closes the connections to the node. */
  close(): Promise<void>;
}

/** Balances of the chain's own coin after a block. */
export interface CoinBalances {
  /** The block, which may be replaced until it is final. */
  readonly asOf: BlockRef;
  /** Smallest units, in the order asked. */
  readonly units: readonly bigint[];
}

/** Reads a chain block by block, without gaps. */
export interface BlockClient extends NodeClient {
  /**
   * Returns the transfers of `tokens`, which may include `NATIVE_COIN`, in exactly this block to recipients for which
   * `isOurs` holds, in the order of the block. It is asked about addresses in their `blockSpelling`. A transfer of the coin by a contract is not among them: only balances show it.
   */
  sightingsIn(
    block: LoggedBlock,
    tokens: readonly string[],
    isOurs: (address: string) => boolean,
  ): Promise<readonly Sighting[]>;
  /** Whether `sightingsIn` fetches whole blocks, so that the transfers of the coin cost nothing more. */
  readonly readsWholeBlocks: boolean;
  /** Whether nodes return balances after a past block. Elsewhere they return those after their newest final block. */
  readonly keepsPastBalances: boolean;
  /** Returns each address's balance of the chain's own coin, after `block` where nodes keep past balances. */
  coinBalances(block: BlockRef, addresses: readonly string[]): Promise<CoinBalances>;
  /** The balances that one request to this node currently reads; 1,000 or more if the node supports that. */
  readonly balancesPerRequest: number;
  /** The most balances that a step may currently ask of this node. */
  readonly balancesPerStep: number;
}

/** Reads a chain whose nodes keep the state of past blocks, and pays on it through `outgoing`. */
export interface ChainClient extends BlockClient {
  /** The part of the client that pays. */
  readonly outgoing: OutgoingClient;
  /**
   * Returns the transfers of `tokens` in exactly this block to recipients for which `isOurs` holds, in the order of the
   * block. It queries by hash, so that a lagging node fails instead of returning none. When the answer is empty and the
   * block's bloom contradicts it, it checks another node, or the same one again where there is no other.
   */
  transfersIn(
    block: LoggedBlock,
    tokens: readonly string[],
    isOurs: (address: string) => boolean,
  ): Promise<readonly Sighting[]>;
  /** Returns whether exactly this block has any transfer of `tokens`, to any recipient. */
  hasTransfers(block: BlockRef, tokens: readonly string[]): Promise<boolean>;
  /**
   * Returns the transactions in exactly this block (by hash) that moved the chain's own coin to recipients for which
   * `isOurs` holds, in the order of the block. A transfer by a contract is not a transaction: only balances show it.
   */
  nativeTransfersIn(block: BlockRef, isOurs: (address: string) => boolean): Promise<readonly Sighting[]>;
  /** Returns each address's balance of the chain's own coin after this block (by hash), in smallest units. */
  balancesAt(block: BlockRef, addresses: readonly string[]): Promise<readonly bigint[]>;
}

/** The node did not answer, or its answer is invalid, so the facts are unknown. */
export class ChainUnavailable extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ChainUnavailable';
  }
}

/** The node answers, but is missing blocks that are known to exist. */
export class NodeBehind extends ChainUnavailable {
  constructor(message: string) {
    super(message);
    this.name = 'NodeBehind';
  }
}

/** The node is healthy and limits our rate. */
export class NodeBusy extends ChainUnavailable {
  constructor(
    message: string,
    readonly retryAfterMs: number,
  ) {
    super(message);
    this.name = 'NodeBusy';
  }
}

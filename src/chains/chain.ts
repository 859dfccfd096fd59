import type { Network } from '../domain/network.js';
import type { OutgoingClient } from './outgoing.js';

/** A block by height and hash. Heights fit a JS number for every network. */
export interface BlockRef {
  readonly height: number;
  readonly hash: string;
}

/** What links a block to its chain, and when it was made (its own clock). */
export interface BlockHeader extends BlockRef {
  readonly parentHash: string;
  readonly time: Date;
  /** Which contracts and topics its logs may hold (EVM), as hex; for other chains there is none. */
  readonly logsBloom?: string;
}

/** A block whose transfers are asked for, with what its header says of them. */
export type LoggedBlock = BlockRef & Pick<BlockHeader, 'logsBloom'>;

/** The position of a transfer that is the transaction itself and no log of it. */
export const NATIVE_POSITION = -1;

/** A transfer reported by a chain client: a value, not yet stored (architecture: "sighting"). */
export interface Sighting {
  readonly txHash: string;
  /**
   * Index of the log within its own receipt: unlike the block-wide log index it survives a reorg. `NATIVE_POSITION` for
   * the chain's own coin.
   */
  readonly position: number;
  /** Contract of the token, lower case; `NATIVE_COIN` for the chain's own coin. */
  readonly token: string;
  readonly from: string;
  /** Recipient, lower case for EVM. */
  readonly to: string;
  /** Smallest units, always above zero. */
  readonly amount: bigint;
}

/** Which chain a node serves: the pair that must never change under us. */
export interface ChainIdentity {
  /** Decimal for EVM. */
  readonly chainId: string;
  readonly genesisHash: string;
}

/** How deep a block must lie before what it holds is final (chains.md 1). */
export interface FinalityRule {
  /** Blocks that must stand on top, in addition to the node's own `finalized` tag. 0 = the tag alone decides. */
  readonly minDepth: number;
}

/**
 * One node of one chain: read, and paid on through `outgoing`. Every method may throw `ChainUnavailable`: the caller
 * tries again later and moves no cursor. Nothing here knows intents, merchants or prices.
 */
export interface ChainClient {
  readonly network: Network;
  /** What is needed to pay. */
  readonly outgoing: OutgoingClient;
  /** Asks the node which chain it serves. */
  identity(): Promise<ChainIdentity>;
  /** The newest block. */
  head(): Promise<BlockHeader>;
  /** The canonical block at `height`, or null when the node has none. */
  headerAt(height: number): Promise<BlockHeader | null>;
  /** `headerAt` for many heights in few requests, in the order asked: what catching up after a downtime reads. */
  headersAt(heights: readonly number[]): Promise<readonly (BlockHeader | null)[]>;
  /** Height up to which blocks are final by the network's rule, given the head just read. */
  finalizedHeight(head: BlockRef): Promise<number>;
  /**
   * Transfers of `tokens` in exactly this block (asked by hash, so that a lagging node errs instead of answering
   * "none") to recipients for which `isOurs` holds, in the order of the block. An empty answer that the block's bloom
   * speaks against is asked for again, of another node where there is one.
   */
  transfersIn(
    block: LoggedBlock,
    tokens: readonly string[],
    isOurs: (address: string) => boolean,
  ): Promise<readonly Sighting[]>;
  /** Whether exactly this block holds any transfer of `tokens`, to whomever. */
  hasTransfers(block: BlockRef, tokens: readonly string[]): Promise<boolean>;
  /**
   * Transactions in exactly this block (asked by hash) that moved the chain's own coin to recipients for which `isOurs`
   * holds, in the order of the block. What a contract passes on is no transaction: only a balance shows it.
   */
  nativeTransfersIn(block: BlockRef, isOurs: (address: string) => boolean): Promise<readonly Sighting[]>;
  /** What each address (lower case) held of the chain's own coin after this block (asked by hash), in smallest units. */
  balancesAt(block: BlockRef, addresses: readonly string[]): Promise<readonly bigint[]>;
  /** How many balances one request to this node asks for at present; 1,000 or more unless the node cannot do that. */
  readonly balancesPerRequest: number;
  /** Decimals that the token's contract itself states, or null when no such token lives at that address. */
  decimalsOf(token: string): Promise<number | null>;
  /** Calls `onHead` when the node announces a block. A hint only: losing it costs latency, never money. */
  watchHeads(onHead: () => void): { close(): void };
  /** Lets go of the connections to the node. */
  close(): Promise<void>;
}

/** The node did not answer, or answered nonsense; the facts are unknown. */
export class ChainUnavailable extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ChainUnavailable';
  }
}

/** The node answers, and holds less of the chain than is known to exist. */
export class NodeBehind extends ChainUnavailable {
  constructor(message: string) {
    super(message);
    this.name = 'NodeBehind';
  }
}

/** The node is well and asks to be left alone for a while. */
export class NodeBusy extends ChainUnavailable {
  constructor(
    message: string,
    readonly retryAfterMs: number,
  ) {
    super(message);
    this.name = 'NodeBusy';
  }
}

import {
  type BlockHeader,
  type BlockRef,
  type ChainClient,
  ChainUnavailable,
  NodeBehind,
  type Sighting,
} from '../../chains/chain.js';
import { inConcurrentBatches } from './concurrent-batches.js';
import type { NativeReading, NativeTurn } from './native-read-planner.js';

/** Blocks per step unless the reader sets `blocksMax`. */
const BLOCKS_PER_STEP = 50;
/**
 * Headers, and blocks for their transfers, that are asked about at once: each such number fills a batch of the client.
 */
const HEADERS_PER_BATCH = 100;
const BLOCKS_PER_BATCH = 50;

/** How far a chain has been recorded. */
export interface Cursor extends BlockRef {
  readonly finalizedHeight: number;
}

/** A block and the transfers to our addresses in it. */
export interface ReadBlock {
  readonly header: BlockHeader;
  readonly sightings: readonly Sighting[];
}

/** The balance of an address (lower case) in the chain's own coin, in smallest units. */
export interface AddressBalance {
  readonly address: string;
  readonly units: bigint;
}

/** The result of one bounded read of the chain; recorded as a whole or not at all. */
export interface ChainStep {
  /** The common ancestor, when recorded blocks are no longer on the chain. */
  readonly rollbackTo: BlockRef | null;
  /** Parent-linked, in order, starting on top of the cursor (or of `rollbackTo`). */
  readonly blocks: readonly ReadBlock[];
  readonly balances: readonly AddressBalance[];
  /** The block of `balances`: the last of `blocks`, or the recorded head. Absent when it was not read. */
  readonly balanceBlock?: BlockHeader;
  /** The turn of the round over all addresses whose balances were read; absent when none was due. */
  readonly nativeTurn?: NativeTurn;
  readonly headHeight: number;
  /** Up to where the recorded chain is final; never above what is recorded. */
  readonly finalizedHeight: number;
  /** True when everything up to the head is read. */
  readonly isCaughtUp: boolean;
}

/** The reader's access to the rest of the service. */
export interface ReaderContext {
  /** Maximum number of blocks per step; 50 when absent. */
  readonly blocksMax?: number;
  readonly tokens: readonly string[];
  /** Refreshes the watched addresses; called once new headers are read, before their blocks are matched. */
  readonly refreshWatched: () => Promise<(address: string) => boolean>;
  /** Chooses what is read of the chain's own coin; null where it is not on offer. */
  readonly native: {
    plan(isCaughtUp: boolean, balancesPerRequest: number): Promise<NativeReading>;
    /** Called instead when there is no new block. */
    planWithoutBlocks(): NativeReading;
  } | null;
  /** Hash of a recorded block, or null when it is too old to be kept. */
  readonly recordedHashAt: (height: number) => Promise<string | null>;
}

/** The node has another block at the height of a recorded final one. */
export class ReorgBeyondFinality extends ChainUnavailable {
  constructor(height: number) {
    super(`Block ${height}, recorded as final, is no longer on the chain.`);
    this.name = 'ReorgBeyondFinality';
  }
}

const NOTHING_NATIVE: NativeReading = { transactions: false, balancesOf: [] };
const NO_ADDRESS = (): boolean => false;

/**
 * Reads the next blocks after `cursor`: headers first, linked by parent hash, then transfers by block hash. Throws
 * `ChainUnavailable` when the node lags or its answers contradict each other; nothing is recorded then.
 */
export async function readStep(client: ChainClient, cursor: Cursor, context: ReaderContext): Promise<ChainStep> {
  const head = await client.head();
  const start = await findStart(client, cursor, head, context);
  const headers = await readHeaders(client, start, head, context.blocksMax ?? BLOCKS_PER_STEP);
  // Without headers above it, the start is the head, or the node returned none.
  const block = headers.at(-1) ?? (start.height === head.height ? head : undefined);
  const top = block ?? start;
  const isCaughtUp = top.height >= head.height;
  // An address that one of these blocks pays was stored before the block was made, so it is watched from here on.
  const isOurs = headers.length > 0 ? await context.refreshWatched() : NO_ADDRESS;
  const native = await planNative(context, headers.length > 0, isCaughtUp, client.balancesPerRequest);
  const blocks = await readTransfers(client, headers, { tokens: context.tokens, native: native.transactions, isOurs });
  return {
    rollbackTo: start.hash === cursor.hash ? null : { height: start.height, hash: start.hash },
    blocks,
    balances: await readBalances(client, top, native.balancesOf),
    ...(block !== undefined && { balanceBlock: block }),
    ...(native.turn !== undefined && { nativeTurn: native.turn }),
    headHeight: Math.max(head.height, top.height),
    finalizedHeight: await readFinality(client, cursor, head, top, headers, context),
    isCaughtUp,
  };
}

async function planNative(
  { native }: ReaderContext,
  hasNewBlocks: boolean,
  isCaughtUp: boolean,
  balancesPerRequest: number,
): Promise<NativeReading> {
  if (native === null) return NOTHING_NATIVE;
  if (hasNewBlocks) return native.plan(isCaughtUp, balancesPerRequest);
  return isCaughtUp ? native.planWithoutBlocks() : NOTHING_NATIVE;
}

/**
 * Returns the newest recorded block that the node still has. A node whose head is below ours on the same chain only
 * lags: that is no reorg, however far it is behind.
 */
async function findStart(
  client: ChainClient,
  cursor: Cursor,
  head: BlockHeader,
  context: ReaderContext,
): Promise<BlockRef> {
  for (let height = Math.min(cursor.height, head.height); ; height--) {
    const recorded = height === cursor.height ? cursor.hash : await context.recordedHashAt(height);
    if (recorded === null) throw new NodeBehind(`The node's head ${head.height} is below every recorded block.`);
    const onChain = height === head.height ? head : await client.headerAt(height);
    if (onChain === null) throw new ChainUnavailable(`The node does not hold block ${height} below its own head.`);
    if (onChain.hash === recorded) {
      if (height === head.height && height < cursor.height) {
        throw new NodeBehind("The node's newest block is older than the last block we recorded.");
      }
      return { height, hash: recorded };
    }
    if (height <= cursor.finalizedHeight) throw new ReorgBeyondFinality(height);
  }
}

/**
 * Returns the headers above `start`, up to the first that does not link to the one before: the chain just changed
 * there.
 */
async function readHeaders(
  client: ChainClient,
  start: BlockRef,
  head: BlockHeader,
  blocksMax: number,
): Promise<BlockHeader[]> {
  const count = Math.min(head.height - start.height, blocksMax);
  if (count <= 0) return [];
  const heights = Array.from({ length: count }, (_, i) => start.height + 1 + i);
  const read =
    count === 1 && head.height === heights[0]
      ? [head]
      : await inConcurrentBatches(heights, HEADERS_PER_BATCH, (batch) => client.headersAt(batch));
  const linked: BlockHeader[] = [];
  let previous: BlockRef = start;
  for (const [i, header] of read.entries()) {
    if (header === null || header.height !== heights[i] || header.parentHash !== previous.hash) break;
    linked.push(header);
    previous = header;
  }
  return linked;
}

/** The transfers to read of a block. */
interface Wanted {
  readonly tokens: readonly string[];
  /** Whether the chain's own coin is among them. */
  readonly native: boolean;
  readonly isOurs: (address: string) => boolean;
}

function readTransfers(client: ChainClient, headers: readonly BlockHeader[], wanted: Wanted): Promise<ReadBlock[]> {
  return inConcurrentBatches(headers, BLOCKS_PER_BATCH, (batch) =>
    Promise.all(batch.map((header) => readBlock(client, header, wanted))),
  );
}

async function readBlock(
  client: ChainClient,
  header: BlockHeader,
  { tokens, native, isOurs }: Wanted,
): Promise<ReadBlock> {
  const [ofTokens, ofCoin] = await Promise.all([
    client.transfersIn(header, tokens, isOurs),
    native ? client.nativeTransfersIn(header, isOurs) : [],
  ]);
  return { header, sightings: [...ofTokens, ...ofCoin] };
}

async function readBalances(
  client: ChainClient,
  block: BlockRef,
  addresses: readonly string[],
): Promise<readonly AddressBalance[]> {
  if (addresses.length === 0) return [];
  const balances = await client.balancesAt(block, addresses);
  return addresses.map((address, index) => {
    const units = balances[index];
    if (units === undefined) throw new ChainUnavailable(`The node returned no balance of ${address}.`);
    return { address, units };
  });
}

/**
 * Returns the finalized height of the recorded chain. The node answers for its present chain, so the block it calls
 * final must be the one recorded at that height.
 */
async function readFinality(
  client: ChainClient,
  cursor: Cursor,
  head: BlockHeader,
  top: BlockRef,
  headers: readonly BlockHeader[],
  context: ReaderContext,
): Promise<number> {
  const finalized = Math.min(await client.finalizedHeight(head), top.height);
  if (finalized <= cursor.finalizedHeight) return cursor.finalizedHeight;
  const read = headers.find((header) => header.height === finalized);
  const recorded = read?.hash ?? (finalized === top.height ? top.hash : await context.recordedHashAt(finalized));
  const onChain = finalized === head.height ? head : await client.headerAt(finalized);
  return recorded !== null && onChain?.hash === recorded ? finalized : cursor.finalizedHeight;
}

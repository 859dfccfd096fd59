import {
  type BlockClient,
  type BlockHeader,
  type BlockRef,
  ChainUnavailable,
  NodeBehind,
  type Sighting,
} from '../../chains/chain.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { inConcurrentBatches } from './concurrent-batches.js';
import type { BalanceLimits, NativeReading, NativeTurn } from './native-read-planner.js';

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
  /**
   * The block of `balances`: the last of `blocks`, or the recorded head, or, on chains without past balances, a final block
   * below. Absent when it was not read.
   */
  readonly balanceBlock?: BlockHeader;
  /**
   * Time up to which the balances of all addresses where the coin is expected were read; only on chains without past
   * balances, where it is behind the blocks.
   */
  readonly coinsReadTo?: Date;
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
    plan(isCaughtUp: boolean, limits: BalanceLimits): Promise<NativeReading>;
    /** Called instead when there is no new block. */
    planWithoutBlocks(): NativeReading;
    /** Called when the balances of a plan were read as of a time. Returns since when all waiting addresses were read. */
    readAsOf(time: Date): Date;
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
export async function readStep(client: BlockClient, cursor: Cursor, context: ReaderContext): Promise<ChainStep> {
  const head = await client.head();
  const start = await findStart(client, cursor, head, context);
  const headers = await readHeaders(client, start, head, context.blocksMax ?? BLOCKS_PER_STEP);
  // Without headers above it, the start is the head, or the node returned none.
  const block = headers.at(-1) ?? (start.height === head.height ? head : undefined);
  const top = block ?? start;
  const isCaughtUp = top.height >= head.height;
  // An address that one of these blocks pays was stored before the block was made, so it is watched from here on.
  const isOurs = headers.length > 0 ? await context.refreshWatched() : NO_ADDRESS;
  const native = await planNative(context, headers.length > 0, isCaughtUp, client);
  const tokens = native.transactions ? [...context.tokens, NATIVE_COIN] : context.tokens;
  const blocks = await readTransfers(client, headers, { tokens, isOurs });
  const coins = await readBalances(client, block, native.balancesOf, { headers, context });
  return {
    rollbackTo: start.hash === cursor.hash ? null : { height: start.height, hash: start.hash },
    blocks,
    balances: coins?.balances ?? [],
    ...(block !== undefined && { balanceBlock: coins?.asOf ?? block }),
    ...(coins !== null && !client.keepsPastBalances && { coinsReadTo: context.native?.readAsOf(coins.asOf.time) }),
    ...(native.turn !== undefined && (coins !== null || native.balancesOf.length === 0) && { nativeTurn: native.turn }),
    headHeight: Math.max(head.height, top.height),
    finalizedHeight: await readFinality(client, cursor, head, top, headers, context),
    isCaughtUp,
  };
}

async function planNative(
  { native }: ReaderContext,
  hasNewBlocks: boolean,
  isCaughtUp: boolean,
  client: BlockClient,
): Promise<NativeReading> {
  if (native === null) return NOTHING_NATIVE;
  if (!hasNewBlocks) return isCaughtUp ? native.planWithoutBlocks() : NOTHING_NATIVE;
  const plan = await native.plan(isCaughtUp, client);
  return client.readsWholeBlocks ? { ...plan, transactions: true } : plan;
}

/**
 * Returns the newest recorded block that the node still has. A node whose head is below ours on the same chain only
 * lags: that is no reorg, however far it is behind.
 */
async function findStart(
  client: BlockClient,
  cursor: Cursor,
  head: BlockHeader,
  context: ReaderContext,
): Promise<BlockRef> {
  // The usual case needs no request.
  if (head.height === cursor.height + 1 && head.parentHash === cursor.hash) return cursor;
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
  client: BlockClient,
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
  /** Contracts, and `NATIVE_COIN` where the transactions in the coin are among them. */
  readonly tokens: readonly string[];
  readonly isOurs: (address: string) => boolean;
}

function readTransfers(
  client: BlockClient,
  headers: readonly BlockHeader[],
  { tokens, isOurs }: Wanted,
): Promise<ReadBlock[]> {
  return inConcurrentBatches(headers, BLOCKS_PER_BATCH, (batch) =>
    Promise.all(batch.map(async (header) => ({ header, sightings: await client.sightingsIn(header, tokens, isOurs) }))),
  );
}

/** Balances, and the block after which they are. */
interface ReadBalances {
  readonly balances: readonly AddressBalance[];
  readonly asOf: BlockHeader;
}

/** What the books know of the chain after this step. */
interface Recorded {
  readonly headers: readonly BlockHeader[];
  readonly context: ReaderContext;
}

/** Returns null when there is nothing to read, or when the node's balances are of a block that the books do not have. */
async function readBalances(
  client: BlockClient,
  block: BlockHeader | undefined,
  addresses: readonly string[],
  recorded: Recorded,
): Promise<ReadBalances | null> {
  if (block === undefined || addresses.length === 0) return null;
  const { asOf, units: read } = await client.coinBalances(block, addresses);
  const balances = addresses.map((address, index) => {
    const units = read[index];
    if (units === undefined) throw new ChainUnavailable(`The node returned no balance of ${address}.`);
    return { address, units };
  });
  const header = client.keepsPastBalances ? block : await headerOf(client, asOf, recorded);
  return header === null ? null : { balances, asOf: header };
}

/**
 * Returns the header of the block as of which balances were read; null when it is not recorded. Books are compared as of the
 * same block, so they must have been read to it.
 */
async function headerOf(
  client: BlockClient,
  asOf: BlockRef,
  { headers, context }: Recorded,
): Promise<BlockHeader | null> {
  const read = headers.find(({ height }) => height === asOf.height);
  const recorded = read?.hash ?? (await context.recordedHashAt(asOf.height));
  if (recorded === null) return null;
  const header = read ?? (await client.headerAt(asOf.height));
  if (recorded === asOf.hash && header?.hash === asOf.hash) return header;
  throw new ChainUnavailable(`The node's balances are of block ${asOf.height} of another fork.`);
}

/**
 * Returns the finalized height of the recorded chain. The node answers for its present chain, so the block it calls
 * final must be the one recorded at that height.
 */
async function readFinality(
  client: BlockClient,
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

import { type BlockHeader, type BlockRef, type ChainClient, ChainUnavailable, type Sighting } from '../chains/chain.js';

const BLOCKS_PER_STEP_MAX = 50;
const READS_AT_ONCE = 10;

/** How far a chain has been recorded. */
export interface Cursor extends BlockRef {
  readonly finalizedHeight: number;
}

/** A block with the transfers to us it holds. */
export interface ReadBlock {
  readonly header: BlockHeader;
  readonly sightings: readonly Sighting[];
}

/** What one bounded look at the chain found; recorded as a whole or not at all. */
export interface ChainStep {
  /** The common ancestor, when blocks that we recorded are no longer on the chain. */
  readonly rollbackTo: BlockRef | null;
  /** Parent-linked, in order, starting on top of the cursor (or of `rollbackTo`). */
  readonly blocks: readonly ReadBlock[];
  readonly headHeight: number;
  /** Up to where the recorded chain is final; never above what is recorded. */
  readonly finalizedHeight: number;
  /** True when everything up to the head is read. */
  readonly isLevel: boolean;
}

/** What the reader asks the rest of the service. */
export interface ReaderContext {
  readonly tokens: readonly string[];
  /** Brings the watched addresses up to date; called once the headers are read, before their blocks are matched. */
  readonly refreshWatched: () => Promise<(address: string) => boolean>;
  /** Hash of a block that we recorded, or null when it is too old to be kept. */
  readonly recordedHashAt: (height: number) => Promise<string | null>;
}

/** The node holds another block where we hold a final one. */
export class ReorgBeyondFinality extends Error {
  constructor(height: number) {
    super(`The chain no longer holds our final block ${height}.`);
    this.name = 'ReorgBeyondFinality';
  }
}

/**
 * Reads the next blocks after `cursor`: headers first, linked by parent hash, then transfers by block hash. A node that
 * lags or answers nonsense throws `ChainUnavailable`, and nothing moves.
 */
export async function readStep(client: ChainClient, cursor: Cursor, context: ReaderContext): Promise<ChainStep> {
  const head = await client.head();
  const start = await findStart(client, cursor, head, context);
  const headers = await readHeaders(client, start, head);
  // An address that one of these blocks pays was stored before the block was made, so it is known from here on.
  const isOurs = await context.refreshWatched();
  const blocks = await readTransfers(client, headers, context.tokens, isOurs);
  const top = headers.at(-1) ?? start;
  return {
    rollbackTo: start.hash === cursor.hash ? null : { height: start.height, hash: start.hash },
    blocks,
    headHeight: Math.max(head.height, top.height),
    finalizedHeight: await readFinality(client, cursor, head, top, headers, context),
    isLevel: top.height >= head.height,
  };
}

/**
 * The newest block that we recorded and the node still holds. A node whose head is below ours on the same chain merely
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
    if (recorded === null) throw new ChainUnavailable(`The node's head ${head.height} is below all that we remember.`);
    const onChain = height === head.height ? head : await client.headerAt(height);
    if (onChain === null) throw new ChainUnavailable(`The node does not hold block ${height} below its own head.`);
    if (onChain.hash === recorded) {
      if (height === head.height && height < cursor.height) throw new ChainUnavailable('The node lags behind us.');
      return { height, hash: recorded };
    }
    if (height <= cursor.finalizedHeight) throw new ReorgBeyondFinality(height);
  }
}

/** Headers above `start`, as long as each links to the one before: the tail of a chain that just changed is left out. */
async function readHeaders(client: ChainClient, start: BlockRef, head: BlockHeader): Promise<BlockHeader[]> {
  const count = Math.min(head.height - start.height, BLOCKS_PER_STEP_MAX);
  if (count <= 0) return [];
  const heights = Array.from({ length: count }, (_, i) => start.height + 1 + i);
  const read = count === 1 && head.height === heights[0] ? [head] : await client.headersAt(heights);
  const linked: BlockHeader[] = [];
  let previous: BlockRef = start;
  for (const [i, header] of read.entries()) {
    if (header === null || header.height !== heights[i] || header.parentHash !== previous.hash) break;
    linked.push(header);
    previous = header;
  }
  return linked;
}

async function readTransfers(
  client: ChainClient,
  headers: readonly BlockHeader[],
  tokens: readonly string[],
  isOurs: (address: string) => boolean,
): Promise<ReadBlock[]> {
  const blocks: ReadBlock[] = [];
  for (let i = 0; i < headers.length; i += READS_AT_ONCE) {
    const batch = headers.slice(i, i + READS_AT_ONCE);
    const read = batch.map(async (header) => ({
      header,
      sightings: await client.transfersIn(header, tokens, isOurs),
    }));
    blocks.push(...(await Promise.all(read)));
  }
  return blocks;
}

/**
 * The finalized height of the chain that we recorded. The node speaks of its chain of this moment, so the block it
 * calls final must be the one we have at that height.
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

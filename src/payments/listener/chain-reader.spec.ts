import { aCoinTransaction, MemoryChain, type Mined } from '../../../test/support/memory-chain.js';
import { randomHex } from '../../../test/support/random-values.js';
import { ChainUnavailable, NodeBehind, type Sighting } from '../../chains/chain.js';
import { type Cursor, type ReaderContext, ReorgBeyondFinality, readStep } from './chain-reader.js';

const OURS = `0x${'0a'.repeat(20)}`;
const PAYMENT: Mined = { transactions: [aCoinTransaction(OURS, 5n)] };
/** The first block of the chain. */
const FIRST = 100;
/** Blocks required on top of a final one. */
const DEPTH = 2;

let chain: MemoryChain;
/** The recorded blocks, by height. */
let recorded: Map<number, string>;
/** Addresses that are in the pool at this moment. */
let pool: Set<string>;
let context: ReaderContext;

beforeEach(() => {
  chain = new MemoryChain({ height: FIRST, hash: randomHex(32) }, DEPTH);
  recorded = new Map();
  pool = new Set([OURS]);
  context = {
    tokens: [],
    native: {
      plan: () => Promise.resolve({ transactions: true, balancesOf: [] }),
      planWithoutBlocks: () => ({ transactions: true, balancesOf: [] }),
      readAsOf: (time: Date) => time,
    },
    refreshWatched: () => {
      const known = new Set(pool);
      return Promise.resolve((address: string) => known.has(address));
    },
    recordedHashAt: (height) => Promise.resolve(recorded.get(height) ?? null),
  };
});

/** Mines one block for each of these. */
function mine(...blocks: readonly Mined[]): void {
  for (const mined of blocks) chain.mine(mined);
}

/** The cursor of a listener that has recorded the chain as it is now. */
async function recordAll(): Promise<Cursor> {
  const heights = Array.from({ length: chain.height - FIRST + 1 }, (_, i) => FIRST + i);
  for (const header of await chain.headersAt(heights)) if (header !== null) recorded.set(header.height, header.hash);
  return { height: chain.height, hash: recorded.get(chain.height) ?? '', finalizedHeight: chain.finalized };
}

const read = (cursor: Cursor) => readStep(chain, cursor, context);
const amountsIn = (blocks: readonly { readonly sightings: readonly Sighting[] }[]): bigint[] =>
  blocks.flatMap(({ sightings }) => sightings.map(({ amount }) => amount));

describe('a step', () => {
  it('holds the blocks above the cursor, each on top of the one before, with what they paid us', async () => {
    const cursor = await recordAll();
    mine({}, PAYMENT, { transactions: [aCoinTransaction(randomHex(20), 7n)] });
    const step = await read(cursor);
    expect(step).toMatchObject({ rollbackTo: null, headHeight: 103, finalizedHeight: 101, isCaughtUp: true });
    expect(step.blocks.map(({ header }) => header.height)).toEqual([101, 102, 103]);
    expect(amountsIn(step.blocks)).toEqual([5n]);
  });

  it('ends before a block that does not follow the one before it: the chain changed between two reads of headers [F-64]', async () => {
    const cursor = await recordAll();
    mine({}, {}, {}, {});
    const headersAt = chain.headersAt.bind(chain);
    chain.headersAt = async (heights) => {
      const lower = await headersAt(heights.slice(0, 2));
      // All but the first block are replaced, and the payment is in none that follows the second one as it was read.
      chain.takeBack(3);
      mine({}, PAYMENT, {});
      return [...lower, ...(await headersAt(heights.slice(2)))];
    };
    // The second block was replaced, and this node still returns its transfers.
    chain.nativeTransfersIn = async (block) =>
      block.height === 103 ? [{ ...aCoinTransaction(OURS, 5n), position: -1, token: 'native' }] : [];
    const step = await read(cursor);
    expect(step.blocks.map(({ header }) => header.height)).toEqual([101, 102]);
    expect({ amountsOfBlocksInAGap: amountsIn(step.blocks) }).toEqual({ amountsOfBlocksInAGap: [] });
    expect(step.isCaughtUp).toBe(false);
  });

  it('ends before a block that is missing or out of place', async () => {
    const cursor = await recordAll();
    mine({}, {}, {});
    const headersAt = chain.headersAt.bind(chain);
    chain.headersAt = async (heights) => (await headersAt(heights)).with(1, null);
    expect((await read(cursor)).blocks).toHaveLength(1);
    chain.headersAt = async (heights) => (await headersAt(heights)).toReversed();
    expect((await read(cursor)).blocks).toHaveLength(0);
  });

  it('finds the payment to an address that was given out after the step began: addresses are refreshed after the headers are read', async () => {
    const cursor = await recordAll();
    const fresh = randomHex(20);
    const head = chain.head.bind(chain);
    chain.head = () => {
      pool.add(fresh);
      mine({ transactions: [aCoinTransaction(fresh, 9n)] });
      return head();
    };
    expect(amountsIn((await read(cursor)).blocks)).toEqual([9n]);
  });

  it('does not refresh addresses when there is no new block', async () => {
    const cursor = await recordAll();
    context = { ...context, refreshWatched: () => Promise.reject(new Error('There is nothing to match.')) };
    expect(await read(cursor)).toMatchObject({ blocks: [], isCaughtUp: true });
  });

  it('fails as a whole when a balance is missing', async () => {
    const cursor = await recordAll();
    mine({});
    context = {
      ...context,
      native: {
        plan: () => Promise.resolve({ transactions: false, balancesOf: [OURS, randomHex(20)] }),
        planWithoutBlocks: () => ({ transactions: false, balancesOf: [] }),
        readAsOf: (time: Date) => time,
      },
    };
    chain.balancesAt = () => Promise.resolve([1n]);
    await expect(read(cursor)).rejects.toThrow(ChainUnavailable);
  });
});

describe('after a reorg a step', () => {
  it('starts on top of the newest block that is still there [F-64]', async () => {
    mine({}, {}, {}, {});
    const cursor = await recordAll();
    chain.takeBack(2);
    mine({}, PAYMENT, {});
    const step = await read(cursor);
    expect(step.rollbackTo).toEqual({ height: 102, hash: recorded.get(102) });
    expect(step.blocks.map(({ header }) => header.height)).toEqual([103, 104, 105]);
    expect(amountsIn(step.blocks)).toEqual([5n]);
  });

  it('is refused when a final block was replaced, the newest of them included [F-64]', async () => {
    mine({}, {}, {}, {});
    const cursor = await recordAll();
    expect(cursor.finalizedHeight).toBe(102);
    chain.takeBack(3);
    mine({}, {}, {}, {});
    await expect(read(cursor)).rejects.toThrow(new ReorgBeyondFinality(102));
  });

  it('is refused when no recorded block is old enough', async () => {
    mine({}, {}, {});
    const cursor = await recordAll();
    recorded.delete(102);
    chain.takeBack(2);
    mine({}, {}, {});
    await expect(read(cursor)).rejects.toThrow(NodeBehind);
  });
});

describe('a node that lags', () => {
  it.each([1, 3])('by %d blocks takes nothing back [F-67]', async (lag) => {
    mine({}, PAYMENT, {}, {});
    const cursor = await recordAll();
    chain.lag = lag;
    await expect(read(cursor)).rejects.toThrow(NodeBehind);
  });
});

describe('what a node calls final', () => {
  it('is final when it is the block that was recorded', async () => {
    mine({}, {});
    const cursor = await recordAll();
    mine({});
    expect((await read(cursor)).finalizedHeight).toBe(101);
  });

  it('is not when the node holds another block at that height', async () => {
    mine({}, {});
    const cursor = await recordAll();
    mine({});
    const headerAt = chain.headerAt.bind(chain);
    chain.headerAt = async (height) => {
      const header = await headerAt(height);
      return header !== null && height === 101 ? { ...header, hash: randomHex(32) } : header;
    };
    expect((await read(cursor)).finalizedHeight).toBe(cursor.finalizedHeight);
  });

  it('never goes back, nor above what is recorded', async () => {
    mine({}, {}, {}, {});
    const cursor = await recordAll();
    chain.finalizedHeight = () => Promise.resolve(FIRST);
    expect((await read(cursor)).finalizedHeight).toBe(cursor.finalizedHeight);
    chain.finalizedHeight = () => Promise.resolve(chain.height + 10);
    expect((await read(cursor)).finalizedHeight).toBe(chain.height);
  });
});

import { ChainUnavailable } from '../../chains/chain.js';
import { sessionOn } from '../../../test/support/lone-node.js';
import { MemoryChain } from '../../../test/support/memory-chain.js';
import type { Cursor } from './chain-reader.js';
import { StepSource } from './step-source.js';

const START: Cursor = { height: 100, hash: `0x${'0a'.repeat(32)}`, finalizedHeight: 90 };

let chain: MemoryChain;
let source: StepSource;
/** Heights whose headers were asked for. */
let asked: number[];
/** The node does not return the headers from here on. */
let missingFrom: number;

beforeEach(() => {
  chain = new MemoryChain(START, 2);
  asked = [];
  missingFrom = Infinity;
  const headersAt = chain.headersAt.bind(chain);
  chain.headersAt = async (heights) => {
    asked.push(...heights);
    if ((heights[0] ?? 0) >= missingFrom) throw new ChainUnavailable('The node is away.');
    return headersAt(heights);
  };
  const context = {
    tokens: [],
    native: null,
    refreshWatched: () => Promise.resolve(() => false),
    recordedHashAt: () => Promise.resolve(null),
  };
  source = new StepSource({ attempt: (step) => step(sessionOn(chain)) }, context);
});

/** Takes the next step and returns the cursor after it is recorded. */
async function follow(cursor: Cursor): Promise<{ cursor: Cursor; blocks: number }> {
  const { step } = await source.next(cursor, null);
  const top = step.blocks.at(-1)?.header ?? cursor;
  return {
    cursor: { height: top.height, hash: top.hash, finalizedHeight: step.finalizedHeight },
    blocks: step.blocks.length,
  };
}

describe('StepSource', () => {
  it('takes longer steps while they succeed, to the head, and each block once', async () => {
    for (let n = 0; n < 1_000; n++) chain.mine();
    const lengths: number[] = [];
    let cursor = START;
    for (let n = 0; n < 5; n++) {
      const followed = await follow(cursor);
      lengths.push(followed.blocks);
      cursor = followed.cursor;
    }
    expect(lengths).toEqual([50, 100, 200, 400, 250]);
    expect(cursor.height).toBe(chain.height);
    expect(asked).toEqual(Array.from({ length: 1_000 }, (_, n) => 101 + n));
  });

  it('[F-77] takes shorter steps after failures, so that a flaky node gets through', async () => {
    for (let n = 0; n < 100; n++) chain.mine();
    missingFrom = 0;
    for (let n = 0; n < 5; n++) await expect(source.next(START, null)).rejects.toThrow(ChainUnavailable);
    missingFrom = Infinity;
    expect(await follow(START)).toMatchObject({ blocks: 10 });
  });

  it('discards what it read ahead of another cursor', async () => {
    for (let n = 0; n < 300; n++) chain.mine();
    const { cursor } = await follow(START);
    // As after another leader, or staff, moved it.
    const again = await follow(START);
    expect(again.cursor.height).toBeGreaterThan(cursor.height);
    expect(asked.filter((height) => height === 101)).toHaveLength(2);
  });

  it('throws the failure of a step that was read ahead when that step is used', async () => {
    for (let n = 0; n < 300; n++) chain.mine();
    missingFrom = 151;
    const { cursor } = await follow(START);
    await expect(source.next(cursor, null)).rejects.toThrow('The node is away.');
    missingFrom = Infinity;
    expect(await follow(cursor)).toMatchObject({ blocks: 50 });
  });
});

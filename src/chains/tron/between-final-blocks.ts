import { type BlockHeader, type BlockRef, ChainUnavailable } from '../chain.js';

const TRIES_MAX = 3;

/** Something that was read at a final block. */
export interface ReadAtFinal<T> {
  readonly asOf: BlockRef;
  readonly value: T;
}

/**
 * Reads the state of the newest final block in several requests: that block must be the same before and after all of them.
 * @throws ChainUnavailable when it changes again and again meanwhile
 */
export async function betweenFinalBlocks<T>(
  finalHead: () => Promise<BlockHeader>,
  read: () => Promise<T>,
): Promise<ReadAtFinal<T>> {
  let before: BlockRef = await finalHead();
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const value = await read();
    const after = await finalHead();
    if (after.hash === before.hash) return { asOf: { height: after.height, hash: after.hash }, value };
    before = after;
  }
  throw new ChainUnavailable('The final block changed while its state was read.');
}

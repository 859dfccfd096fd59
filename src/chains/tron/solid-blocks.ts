import { z } from 'zod';
import type { BlockHeader } from '../chain.js';
import { parsed } from './answer-shapes.js';
import { headerIn } from './block-header.js';
import type { TronHttp } from './tron-http.js';

/** A block has up to a megabyte. */
const BLOCKS_PER_REQUEST = 10;

const listShape = z.object({ block: z.array(z.unknown()).default([]) });
const transactionsShape = z.object({
  transactions: z
    .array(
      z.object({
        txID: z.string(),
        raw_data: z.object({
          contract: z.tuple([
            z.object({ parameter: z.object({ value: z.object({ owner_address: z.string().default('') }) }) }),
          ]),
        }),
      }),
    )
    .default([]),
});

/** A final block with its transactions. */
export interface SolidBlock {
  readonly header: BlockHeader;
  /** Each with the address that acts and pays, in hex. */
  readonly transactions: readonly { readonly txHash: string; readonly owner: string }[];
}

/**
 * Reads final blocks above a height, `max` at most, up to the newest. Each has the height after the one before; it does not
 * say that they are linked.
 * @throws ChainUnavailable for a block of another height, or one that cannot be read
 */
export async function* solidBlocksAbove(
  http: Pick<TronHttp, 'ask'>,
  height: number,
  max: number,
): AsyncGenerator<SolidBlock> {
  const last = height + max;
  for (let next = height + 1; next <= last;) {
    const end = Math.min(next + BLOCKS_PER_REQUEST, last + 1);
    const answer = await http.ask('walletsolidity', 'getblockbylimitnext', { startNum: next, endNum: end });
    const { block } = parsed(listShape, answer, 'list of blocks');
    for (const one of block) {
      const { transactions } = parsed(transactionsShape, one, 'block');
      yield {
        header: headerIn(one),
        transactions: transactions.map(({ txID: txHash, raw_data }) => {
          return { txHash, owner: raw_data.contract[0].parameter.value.owner_address };
        }),
      };
    }
    if (block.length === 0) return;
    next += block.length;
  }
}

/** Whether a block follows another one. */
export const isChild = (block: BlockHeader, parent: BlockHeader): boolean =>
  block.height === parent.height + 1 && block.parentHash === parent.hash && block.time > parent.time;

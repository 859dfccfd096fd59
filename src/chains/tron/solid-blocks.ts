import { z } from 'zod';
import type { BlockHeader } from '../chain.js';
import { parsed } from './answer-shapes.js';
import { headerIn } from './block-header.js';
import type { TronHttp } from './tron-http.js';

/** A block has up to a megabyte. */
const BLOCKS_PER_REQUEST = 10;

/** `transfer(address,uint256)` with the word of its recipient. */
const TRANSFER_TO = /^a9059cbb0{24}(?<to>[0-9a-f]{40})/;

const listShape = z.object({ block: z.array(z.unknown()).default([]) });
const transactionsShape = z.object({
  transactions: z
    .array(
      z.object({
        txID: z.string(),
        raw_data: z.object({
          contract: z.tuple([
            z.object({
              parameter: z.object({
                value: z.object({
                  owner_address: z.string().default(''),
                  to_address: z.string().optional(),
                  data: z.string().optional(),
                }),
              }),
            }),
          ]),
        }),
      }),
    )
    .default([]),
});

/** A transaction of a final block. */
export interface SolidTransaction {
  readonly txHash: string;
  /** The address that acts and pays, in hex. */
  readonly owner: string;
  /** The address that it sends coins to, or tokens by a call of `transfer`, in hex; null when it does neither. */
  readonly recipient: string | null;
}

/** A final block with its transactions. */
export interface SolidBlock {
  readonly header: BlockHeader;
  readonly transactions: readonly SolidTransaction[];
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
          const { owner_address: owner, to_address: to, data } = raw_data.contract[0].parameter.value;
          return { txHash, owner, recipient: to ?? recipientIn(data) };
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

function recipientIn(data: string | undefined): string | null {
  const to = data === undefined ? undefined : TRANSFER_TO.exec(data)?.groups?.['to'];
  return to === undefined ? null : `41${to}`;
}

import type { BlockRef, ChainClient } from '../chains/chain.js';

/** A deposit that was final, by its transaction and the block that held it. */
export interface FinalDeposit {
  readonly id: string;
  readonly txHash: string;
  readonly blockHeight: number;
  readonly blockHash: string;
}

/** What a node tells of a deposit by its final blocks: `unknown` when it does not see far enough to say. */
export type Presence = 'there' | 'gone' | 'unknown';

/**
 * Whether the node's chain holds the transactions of deposits, by their ids. One that was put into another block is
 * there once that is final. It is gone when the node calls another block final in its block's place, and no block of its
 * chain holds it.
 */
export async function presenceOf(
  client: ChainClient,
  deposits: readonly FinalDeposit[],
): Promise<ReadonlyMap<string, Presence>> {
  const final = await client.finalizedHeight(await client.head());
  const receipts = await client.outgoing.receiptsOf(deposits.map(({ txHash }) => txHash));
  const holders = receipts.map((receipt) =>
    receipt === null ? null : { height: receipt.height, hash: receipt.blockHash },
  );
  // A node may still show the receipt of a transaction that a reorg took back.
  const hashAt = await hashesAt(client, [...deposits.map(({ blockHeight }) => blockHeight), ...heightsOf(holders)]);
  return new Map(
    deposits.map(({ id, blockHeight, blockHash }, place) => {
      const holder = holders[place] ?? null;
      if (holder !== null && hashAt.get(holder.height) === holder.hash) {
        return [id, holder.height <= final ? 'there' : 'unknown'];
      }
      const standing = hashAt.get(blockHeight);
      const isReplaced = standing !== undefined && standing !== blockHash && blockHeight <= final;
      return [id, isReplaced ? 'gone' : 'unknown'];
    }),
  );
}

const heightsOf = (blocks: readonly (BlockRef | null)[]): number[] => blocks.flatMap((block) => block?.height ?? []);

/** The hashes of the node's chain at these heights; one that it does not hold is left out. */
async function hashesAt(client: ChainClient, heights: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const headers = await client.headersAt([...new Set(heights)]);
  return new Map(headers.flatMap((header) => (header === null ? [] : [[header.height, header.hash]])));
}

import type { ChainClient } from '../chains/chain.js';

/** A deposit that was final, by its transaction and the block that held it. */
export interface FinalDeposit {
  readonly id: string;
  readonly txHash: string;
  readonly blockHeight: number;
  readonly blockHash: string;
}

/** What a node tells of a deposit: `unknown` when it does not see far enough to say. */
export type Presence = 'there' | 'gone' | 'unknown';

/**
 * Whether the node's chain holds the transactions of deposits, by their ids. One that was put into another block is
 * there. It is gone when the node calls another block final at that height, and knows no receipt of the transaction.
 */
export async function presenceOf(
  client: ChainClient,
  deposits: readonly FinalDeposit[],
): Promise<ReadonlyMap<string, Presence>> {
  const final = await client.finalizedHeight(await client.head());
  const headers = await client.headersAt(deposits.map(({ blockHeight }) => blockHeight));
  const receipts = await client.outgoing.receiptsOf(deposits.map(({ txHash }) => txHash));
  return new Map(
    deposits.map(({ id, blockHeight, blockHash }, place) => {
      const [receipt = null, header = null] = [receipts[place], headers[place]];
      if (receipt !== null) return [id, 'there'];
      const isReplaced = header !== null && header.hash !== blockHash && blockHeight <= final;
      return [id, isReplaced ? 'gone' : 'unknown'];
    }),
  );
}

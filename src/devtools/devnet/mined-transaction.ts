import { z } from 'zod';
import { askChain, HEX_NUMBER } from './dev-rpc.js';

const RECEIPT = z.object({
  transactionHash: z.string(),
  status: z.enum(['0x0', '0x1']),
  blockNumber: HEX_NUMBER,
  blockHash: z.string(),
  transactionIndex: HEX_NUMBER,
  logs: z.array(z.object({ logIndex: HEX_NUMBER })),
});

/** A transaction with its position in the chain. */
export interface MinedTransaction {
  readonly txHash: string;
  readonly succeeded: boolean;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly transactionIndex: number;
  /** Block-wide indexes of its logs, in the order of its receipt: a reorg can change them. */
  readonly logIndexes: readonly number[];
}

/** Returns a transaction with its current position, or null when it is not on the chain. */
export async function minedTransaction(url: string, txHash: string): Promise<MinedTransaction | null> {
  const receipt = await askChain(url, RECEIPT.nullable(), 'eth_getTransactionReceipt', txHash);
  if (receipt === null) return null;
  const { transactionHash, status, logs, blockNumber, blockHash, transactionIndex } = receipt;
  return {
    txHash: transactionHash,
    succeeded: status === '0x1',
    blockNumber,
    blockHash,
    transactionIndex,
    logIndexes: logs.map(({ logIndex }) => logIndex),
  };
}

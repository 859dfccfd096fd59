import { type BlockRef, ChainUnavailable } from '../chain.js';
import type { JsonRpc } from '../rpc/json-rpc.js';
import { readReceipt, type Receipt } from './rpc-values.js';

/**
 * Returns the receipts of transactions of one block, in the given order. Throws `ChainUnavailable` when one is missing or is
 * of another block, because only a receipt proves what a transaction did.
 */
export async function receiptsIn(
  rpc: Pick<JsonRpc, 'batch'>,
  block: BlockRef,
  txHashes: readonly string[],
): Promise<readonly Receipt[]> {
  const answers = await rpc.batch(txHashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })));
  return txHashes.map((txHash, index) => receiptOf(answers[index], txHash, block));
}

function receiptOf(answer: unknown, txHash: string, block: BlockRef): Receipt {
  // No receipt means unknown, not failed: nodes index receipts after the block.
  if (answer === null) throw new ChainUnavailable(`The node has no receipt of ${txHash} yet.`);
  const receipt = readReceipt(answer);
  const isOfBlock = receipt.txHash === txHash && receipt.blockHash === block.hash;
  if (!isOfBlock || receipt.logs.some((log) => log.txHash !== txHash || log.blockHash !== block.hash)) {
    throw new ChainUnavailable(`The node answered the receipt of ${txHash} in ${block.hash} with another one.`);
  }
  return receipt;
}

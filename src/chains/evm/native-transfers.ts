import { NATIVE_COIN } from '../../domain/network.js';
import { type BlockRef, ChainUnavailable, NATIVE_POSITION, type Sighting } from '../chain.js';
import type { JsonRpc } from '../rpc/json-rpc.js';
import { receiptsIn } from './block-receipts.js';
import { readAddress, readHash, readHeader, readList, readQuantity, readRecord } from './rpc-values.js';

/**
 * Reads the transactions of one block that moved the chain's own coin to us. The block only nominates them; their receipts
 * prove success. Throws `ChainUnavailable` when the node does not have the block or a receipt.
 */
export async function readNativeTransfers(
  rpc: JsonRpc,
  block: BlockRef,
  isOurs: (address: string) => boolean,
): Promise<readonly Sighting[]> {
  const transactions = transactionsIn(await rpc.call('eth_getBlockByHash', [block.hash, true]), block);
  // By hash, so that a transaction that the node repeats counts once.
  const nominated = new Map<string, Sighting>();
  for (const transaction of transactions) {
    const transfer = transferIn(transaction, block, isOurs);
    if (transfer !== null) nominated.set(transfer.txHash, transfer);
  }
  const receipts = await receiptsIn(rpc, block, [...nominated.keys()]);
  return receipts.flatMap(({ txHash, succeeded }) => (succeeded ? (nominated.get(txHash) ?? []) : []));
}

function transactionsIn(answer: unknown, block: BlockRef): readonly unknown[] {
  if (answer === null) throw new ChainUnavailable(`The node has no block ${block.hash}.`);
  const header = readHeader(answer);
  if (header.hash !== block.hash || header.height !== block.height) {
    throw new ChainUnavailable(`The node answered block ${block.hash} with ${header.hash}.`);
  }
  return readList(readRecord(answer, 'block')['transactions'], 'list of transactions');
}

/** Returns the transfer to us that a transaction orders, or null. Other transactions may be of unsupported types. */
function transferIn(answer: unknown, block: BlockRef, isOurs: (address: string) => boolean): Sighting | null {
  const transaction = readRecord(answer, 'transaction');
  const to = typeof transaction['to'] === 'string' ? transaction['to'].toLowerCase() : null;
  if (to === null || !isOurs(to)) return null;
  const amount = readQuantity(transaction['value'], 'value of a transaction');
  if (amount === 0n) return null;
  const txHash = readHash(transaction['hash'], 'transaction hash');
  if (readHash(transaction['blockHash'], 'block hash of a transaction') !== block.hash) {
    throw new ChainUnavailable(`The node put ${txHash} of another block into block ${block.hash}.`);
  }
  const from = readAddress(transaction['from'], 'sender of a transaction');
  return { txHash, position: NATIVE_POSITION, token: NATIVE_COIN, from, to, amount };
}

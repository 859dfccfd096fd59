import { z } from 'zod';
import { waitFor } from '../../platform/processes.js';
import { askChain, HEX_NUMBER, sendToChain } from './dev-rpc.js';
import type { EvmDevChain } from './evm-dev-chain.js';
import { minedTransaction, type MinedTransaction } from './mined-transaction.js';
import { pooledTransactions } from './stuck-transactions.js';

const POOL_TIMEOUT_MS = 15_000;

const BLOCK = z.object({ transactions: z.array(z.string()) });

/** A transaction of the replaced blocks: its bytes, and the index of its new block. */
export interface Placed {
  readonly txHash: string;
  readonly sender: string;
  readonly raw: string;
  /** 0 = the first replaced block. */
  readonly offset: number;
}

/**
 * Replaces the newest `depth` blocks by as many new ones with these transactions.
 * @throws Error when one of them could not be mined again, such as one that spent funds of a dropped one, and when the
 * reorg went back over a restart of the chain.
 */
export async function replaceBlocks(chain: EvmDevChain, depth: number, placed: readonly Placed[]): Promise<void> {
  const url = chain.rpcUrl;
  await waitUntilOutOfPool(url, depth);
  const pairs = placed.map(({ raw, offset }) => [raw, offset]);
  await sendToChain(url, 'anvil_reorg', depth, pairs);
  for (const { address } of Object.values(chain.tokens)) {
    // Anvil 1.7.1 loads the states of older blocks without the code of their contracts.
    if ((await askChain(url, z.string(), 'eth_getCode', address, 'latest')) !== '0x') continue;
    throw new Error(`This reorg went back over a restart of the ${chain.network} chain, which lost its contracts.`);
  }
  for (const { txHash } of placed) await whereIs(url, txHash);
}

/** Returns the place of a transaction. @throws Error when it is not in the chain */
export async function whereIs(url: string, txHash: string): Promise<MinedTransaction> {
  const mined = await minedTransaction(url, txHash);
  if (mined === null) throw new Error(`The transaction ${txHash} is not in the chain.`);
  return mined;
}

/**
 * Waits until the transactions of the newest blocks have left the pool: anvil shows a block before it does that. A
 * transaction that it still has would count for its sender's next nonce, or take a new one with the same nonce along.
 */
async function waitUntilOutOfPool(url: string, depth: number): Promise<void> {
  const head = await askChain(url, HEX_NUMBER, 'eth_blockNumber');
  const heights = Array.from({ length: depth }, (_, index) => head - index).filter((height) => height >= 0);
  const blocks = await Promise.all(
    heights.map((height) => askChain(url, BLOCK, 'eth_getBlockByNumber', `0x${height.toString(16)}`, false)),
  );
  const mined = new Set(blocks.flatMap(({ transactions }) => transactions));
  const outOfPool = async (): Promise<true | null> =>
    (await pooledTransactions(url)).every((hash) => !mined.has(hash)) || null;
  if ((await waitFor(outOfPool, POOL_TIMEOUT_MS)) === null)
    throw new Error('The development chain keeps mined transactions in its pool.');
}

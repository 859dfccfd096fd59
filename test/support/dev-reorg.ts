import { z } from 'zod';
import { devAccount } from '../../src/devtools/devnet/dev-accounts.js';
import type { EvmDevChain } from '../../src/devtools/devnet/evm-dev-chain.js';
import { askChain, HEX_NUMBER, sendToChain } from '../../src/devtools/devnet/dev-rpc.js';
import { minedTransaction, type MinedTransaction } from '../../src/devtools/devnet/mined-transaction.js';
import { signTestTransfer } from '../../src/devtools/devnet/test-transfer.js';

const BLOCK = z.object({ transactions: z.array(z.object({ hash: z.string(), from: z.string() })) });

/** A transaction of the replaced blocks: its bytes, and the index of its new block. */
interface Placed {
  readonly txHash: string;
  readonly sender: string;
  readonly raw: string;
  /** 0 = the first replaced block. */
  readonly offset: number;
}

/** Replaces the blocks since the one with this transaction by blocks without it; returns its signed bytes. */
export async function dropTransaction(chain: EvmDevChain, txHash: string): Promise<string> {
  const url = chain.rpcUrl;
  const { blockNumber } = await whereIs(url, txHash);
  const placed = await transactionsSince(url, blockNumber);
  const index = indexOf(placed, txHash);
  const target = placed[index];
  if (target === undefined) throw new Error(`${txHash} is not in its own block.`);
  // The nonces of later transactions of its sender have a gap now.
  const kept = placed.filter(({ sender }, other) => other < index || sender !== target.sender);
  await reorg(chain, blockNumber, kept);
  return target.raw;
}

/** Replaces the blocks since the one with this transaction so that it is one block later, behind another transfer. */
export async function moveTransaction(
  chain: EvmDevChain,
  txHash: string,
): Promise<{ before: MinedTransaction; after: MinedTransaction }> {
  const url = chain.rpcUrl;
  const before = await whereIs(url, txHash);
  const head = await askChain(url, HEX_NUMBER, 'eth_blockNumber');
  // The later block must be one of the replaced ones.
  if (head === before.blockNumber) await sendToChain(url, 'evm_mine');
  const placed = await transactionsSince(url, before.blockNumber);
  const index = indexOf(placed, txHash);
  const earlier = placed.slice(0, index);
  // Later transactions of its block move with it: a sender's transactions must keep their order.
  const later = placed.slice(index).map((transaction) => ({ ...transaction, offset: Math.max(transaction.offset, 1) }));
  await reorg(chain, before.blockNumber, [
    ...earlier,
    await rivalTransfer(chain, before.blockNumber, earlier),
    ...later,
  ]);
  return { before, after: await whereIs(url, txHash) };
}

/** A token transfer before the moved transaction in its new block, so that its log is not the first there. */
async function rivalTransfer(chain: EvmDevChain, firstReplaced: number, earlier: readonly Placed[]): Promise<Placed> {
  const rival = devAccount('rival');
  const [token] = Object.keys(chain.tokens);
  if (token === undefined) throw new Error(`The ${chain.network} development chain has no token.`);
  const parent = `0x${(firstReplaced - 1).toString(16)}`;
  const used = await askChain(chain.rpcUrl, HEX_NUMBER, 'eth_getTransactionCount', rival.address, parent);
  const nonce = used + earlier.filter(({ sender }) => sender === rival.address).length;
  const transfer = { from: rival, to: rival.address, token, amount: 1n };
  const { txHash, raw, sender } = await signTestTransfer(chain, transfer, nonce);
  return { txHash, raw, sender, offset: 1 };
}

/** Replaces every block from `firstReplaced` on by as many new ones with these transactions. */
async function reorg(chain: EvmDevChain, firstReplaced: number, placed: readonly Placed[]): Promise<void> {
  const head = await askChain(chain.rpcUrl, HEX_NUMBER, 'eth_blockNumber');
  await replaceBlocks(chain, head - firstReplaced + 1, placed);
}

/**
 * Replaces the newest `depth` blocks by as many new ones with these transactions.
 * @throws Error when one of them could not be mined again, such as one that spent funds of a dropped one, and when the
 * reorg went back over a restart of the chain.
 */
export async function replaceBlocks(chain: EvmDevChain, depth: number, placed: readonly Placed[]): Promise<void> {
  const url = chain.rpcUrl;
  const pairs = placed.map(({ raw, offset }) => [raw, offset]);
  await sendToChain(url, 'anvil_reorg', depth, pairs);
  for (const { address } of Object.values(chain.tokens)) {
    // Anvil 1.7.1 loads the states of older blocks without the code of their contracts.
    if ((await askChain(url, z.string(), 'eth_getCode', address, 'latest')) !== '0x') continue;
    throw new Error(`This reorg went back over a restart of the ${chain.network} chain, which lost its contracts.`);
  }
  for (const { txHash } of placed) await whereIs(url, txHash);
}

/** Returns all transactions from a block on, in their order. */
async function transactionsSince(url: string, first: number): Promise<Placed[]> {
  const head = await askChain(url, HEX_NUMBER, 'eth_blockNumber');
  const placed: Placed[] = [];
  for (let height = first; height <= head; height += 1) {
    const block = await askChain(url, BLOCK, 'eth_getBlockByNumber', `0x${height.toString(16)}`, true);
    for (const { hash, from } of block.transactions) {
      const raw = await askChain(url, z.string(), 'eth_getRawTransactionByHash', hash);
      placed.push({ txHash: hash, sender: from.toLowerCase(), raw, offset: height - first });
    }
  }
  return placed;
}

function indexOf(placed: readonly Placed[], txHash: string): number {
  return placed.findIndex((transaction) => transaction.txHash === txHash);
}

async function whereIs(url: string, txHash: string): Promise<MinedTransaction> {
  const mined = await minedTransaction(url, txHash);
  if (mined === null) throw new Error(`The transaction ${txHash} is not in the chain.`);
  return mined;
}

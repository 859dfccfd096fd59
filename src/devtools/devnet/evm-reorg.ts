import { z } from 'zod';
import { evmKey } from '../../domain/evm-address.js';
import { devAccount } from './dev-accounts.js';
import type { EvmDevChain } from './evm-dev-chain.js';
import { askChain, HEX_NUMBER, sendToChain } from './dev-rpc.js';
import type { MinedTransaction } from './mined-transaction.js';
import { type Placed, replaceBlocks, whereIs } from './replaced-blocks.js';
import { type SignedTransfer, signTestTransfer } from './test-transfer.js';

const BLOCK = z.object({ transactions: z.array(z.object({ hash: z.string(), from: z.string() })) });

/**
 * Replaces the blocks since the one with this transaction by blocks without it; returns its signed bytes. Later transactions
 * of its sender are dropped too, unless `substitute` takes its nonce and its place.
 */
export async function dropTransaction(
  chain: EvmDevChain,
  txHash: string,
  substitute: SignedTransfer | null = null,
): Promise<string> {
  const url = chain.rpcUrl;
  const { blockNumber } = await whereIs(url, txHash);
  const placed = await transactionsSince(url, blockNumber);
  const index = indexOf(placed, txHash);
  const target = placed[index];
  if (target === undefined) throw new Error(`${txHash} is not in its own block.`);
  const kept =
    substitute === null
      ? // The nonces of later transactions of its sender have a gap now.
        placed.filter(({ sender }, other) => other < index || sender !== target.sender)
      : placed.with(index, { ...substitute, offset: target.offset });
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

/** Returns all transactions from a block on, in their order. */
async function transactionsSince(url: string, first: number): Promise<Placed[]> {
  const head = await askChain(url, HEX_NUMBER, 'eth_blockNumber');
  const placed: Placed[] = [];
  for (let height = first; height <= head; height += 1) {
    const block = await askChain(url, BLOCK, 'eth_getBlockByNumber', `0x${height.toString(16)}`, true);
    for (const { hash, from } of block.transactions) {
      const raw = await askChain(url, z.string(), 'eth_getRawTransactionByHash', hash);
      placed.push({ txHash: hash, sender: evmKey(from), raw, offset: height - first });
    }
  }
  return placed;
}

function indexOf(placed: readonly Placed[], txHash: string): number {
  return placed.findIndex((transaction) => transaction.txHash === txHash);
}

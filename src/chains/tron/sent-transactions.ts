import { type BlockHeader, ChainUnavailable } from '../chain.js';
import type { SentTransaction, SentTransactions, TowardsTransaction } from '../expiring.js';
import { accountOf } from './account.js';
import { headerIn } from './block-header.js';
import { isChild, solidBlocksAbove } from './solid-blocks.js';
import { hexOfKey, keyOfHex } from './tron-address.js';
import type { TronHttp } from './tron-http.js';

/** Ten minutes of blocks. The next call continues above them. */
const BLOCKS_PER_CALL = 200;

/**
 * Returns the transactions of an address in the final blocks above a height, and those that pay it coins or call `transfer` to it. No node keeps a list of them, so every block is
 * read, some hundred with each call, linked by parent hash. An address that was never activated has sent none.
 */
export async function sentTransactions(
  http: Pick<TronHttp, 'ask'>,
  payer: string,
  above: number,
): Promise<SentTransactions> {
  const solid = headerIn(await http.ask('walletsolidity', 'getblock', { detail: false }));
  // Asked after the head: an address without an account has sent nothing up to there.
  const account = await accountOf(http, 'walletsolidity', payer);
  if (account === null) return { sent: [], towards: [], completeUpTo: Math.max(above, solid.height), hasMore: false };
  const hex = hexOfKey(payer);
  const sent: SentTransaction[] = [];
  const towards: TowardsTransaction[] = [];
  let previous: BlockHeader | null = null;
  for await (const { header, transactions } of solidBlocksAbove(http, above, BLOCKS_PER_CALL)) {
    const follows = previous === null ? header.height === above + 1 : isChild(header, previous);
    if (!follows) throw new ChainUnavailable(`The node left out blocks below ${header.hash}.`);
    const { height } = header;
    for (const { txHash, owner, recipient } of transactions) {
      if (owner === hex) sent.push({ txHash, height });
      else if (recipient === hex) towards.push({ txHash, height, sender: keyOfHex(owner) });
    }
    previous = header;
  }
  const completeUpTo = previous?.height ?? above;
  const isFull = completeUpTo - above === BLOCKS_PER_CALL;
  return { sent, towards, completeUpTo, hasMore: isFull && completeUpTo < solid.height };
}

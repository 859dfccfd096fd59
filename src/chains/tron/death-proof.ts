import { type BlockHeader, ChainUnavailable } from '../chain.js';
import type { LiveAttempt } from '../expiring.js';
import { headerIn, isEmpty } from './block-header.js';
import { isChild, solidBlocksAbove } from './solid-blocks.js';
import type { TronHttp } from './tron-http.js';

/** 90 s and the blocks down to the solid one are 50 blocks; more when slots were missed. */
const BLOCKS_MAX = 200;

/**
 * Whether final blocks prove that a transaction is in none of them and can be in no later one. They are read without a gap,
 * each the child of the one before, from the block that the transaction names to the first whose time is at or past its
 * expiration: a block contains only what expires after the block before it. Anything that is missing, short or contradictory
 * is no proof, and neither is a named block that is not at the height of its own id.
 */
export async function isProvenDead(
  http: Pick<TronHttp, 'ask'>,
  { txHash, expiry: { after, until } }: LiveAttempt,
): Promise<boolean> {
  const info = await http.ask('walletsolidity', 'gettransactioninfobyid', { value: txHash });
  if (!isEmpty(info)) return false;
  const named = await http.ask('walletsolidity', 'getblock', { id_or_num: String(after.height), detail: false });
  if (isEmpty(named)) return false;
  let previous: BlockHeader = headerIn(named);
  if (previous.hash !== after.hash || previous.height !== after.height || previous.time.getTime() > until) return false;
  for await (const { header, transactions } of solidBlocksAbove(http, after.height, BLOCKS_MAX)) {
    if (!isChild(header, previous)) {
      throw new ChainUnavailable(`The node's block ${header.hash} does not follow ${previous.hash}.`);
    }
    if (transactions.some((transaction) => transaction.txHash === txHash)) return false;
    if (header.time.getTime() > until) return true;
    previous = header;
  }
  return false;
}

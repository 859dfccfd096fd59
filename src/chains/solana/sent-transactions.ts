import { ChainUnavailable } from '../chain.js';
import type { SentTransaction, SentTransactions } from '../expiring.js';
import { signaturesShape, slotShape, transactionShape } from './rpc-shapes.js';
import { resultOf, type SolanaRpc } from './solana-rpc.js';

const PAGE = 1_000;
/** An account with more transactions than this since the last question is not read at all. */
const PAGES_MAX = 100;
/** Transactions of one request. */
const BATCH = 100;

/**
 * Returns the final transactions above a slot whose fee an address paid. The history of an account names every transaction
 * with it, so each is read. A node may have dropped older ones: the list is complete when it reaches down to the slot, or
 * when the node still has the blocks from there on.
 */
export async function sentTransactions(rpc: SolanaRpc, payer: string, above: number): Promise<SentTransactions> {
  const asOf = await rpc.slotAt('finalized');
  const { txHashes, reachesDown } = await historyAbove(rpc, { payer, above, asOf });
  // After the history, because the node may drop blocks meanwhile.
  const isComplete = reachesDown || (await rpc.ask(slotShape, 'getFirstAvailableBlock', [])) <= above + 1;
  const sent: SentTransaction[] = [];
  for (let start = 0; start < txHashes.length; start += BATCH) {
    const chunk = txHashes.slice(start, start + BATCH);
    for (const [place, outcome] of (await rpc.transactions(chunk, 'finalized')).entries()) {
      const { slot, transaction } = resultOf(transactionShape, outcome);
      const [txHash = ''] = transaction.signatures;
      if (txHash !== chunk[place]) throw new ChainUnavailable('The node returned another transaction.');
      if (transaction.message.accountKeys[0] === payer) sent.push({ txHash, height: slot });
    }
  }
  return { sent, towards: [], completeUpTo: isComplete ? Math.max(asOf, above) : above, hasMore: false };
}

interface HistoryQuery {
  readonly payer: string;
  readonly above: number;
  readonly asOf: number;
}

async function historyAbove(
  rpc: SolanaRpc,
  { payer, above, asOf }: HistoryQuery,
): Promise<{ readonly txHashes: readonly string[]; readonly reachesDown: boolean }> {
  const txHashes: string[] = [];
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const before = txHashes.at(-1);
    const options = {
      commitment: 'finalized',
      minContextSlot: asOf,
      limit: PAGE,
      ...(before !== undefined && { before }),
    };
    const entries = await rpc.ask(signaturesShape, 'getSignaturesForAddress', [payer, options]);
    const newer = entries.filter(({ slot }) => slot > above);
    txHashes.push(...newer.map(({ signature }) => signature));
    if (newer.length < entries.length) return { txHashes, reachesDown: true };
    // Not a short page: a node may have a lower limit of its own.
    if (entries.length === 0) return { txHashes, reachesDown: false };
  }
  throw new ChainUnavailable(`More than ${PAGE * PAGES_MAX} transactions name the address.`);
}

import { z } from 'zod';
import { askChain, DevRpcRefusal, HEX_NUMBER, sendToChain } from './dev-rpc.js';

const STATUS = z.object({ queued: HEX_NUMBER });
/** Transactions by sender, then by nonce in decimal. */
const OF_SENDERS = z.record(z.string(), z.record(z.string(), z.object({ hash: z.string() })));
const CONTENT = z.object({ pending: OF_SENDERS, queued: OF_SENDERS });
const RAW = z.string().nullable();

/**
 * Sends transactions again that anvil would never mine, and returns whether there were any.
 *
 * Anvil reads a sender's nonce, then adds the transaction to its pool. If it mines the preceding transaction in between,
 * the new one waits for a transaction that has already left the pool, and all later ones of the sender wait for the new one.
 * Anvil refuses the same bytes a second time, so they must leave the pool first.
 */
export async function resendStuckTransactions(url: string): Promise<boolean> {
  if ((await askChain(url, STATUS, 'txpool_status')).queued === 0) return false;
  const { queued } = await askChain(url, CONTENT, 'txpool_content');
  let wereStuck = false;
  for (const sender of Object.keys(queued)) if (await resendOf(url, sender)) wereStuck = true;
  return wereStuck;
}

/** Returns the hashes of all transactions in the chain's pool. */
export async function pooledTransactions(url: string): Promise<string[]> {
  const { pending, queued } = await askChain(url, CONTENT, 'txpool_content');
  const ofSenders = [...Object.values(pending), ...Object.values(queued)];
  return ofSenders.flatMap((ofSender) => Object.values(ofSender).map(({ hash }) => hash));
}

/** Sends all transactions of a sender again if the next one of them is stuck. */
async function resendOf(url: string, sender: string): Promise<boolean> {
  const raws = new Map<string, string>();
  for (;;) {
    const nonce = await askChain(url, HEX_NUMBER, 'eth_getTransactionCount', sender, 'latest');
    const { pending, queued } = await askChain(url, CONTENT, 'txpool_content');
    // Without the sender's next transaction, the queued ones wait rightly.
    if (queued[sender]?.[`${nonce}`] === undefined) return false;
    // The next one goes last: it makes the others ready, and none of them can be mined before.
    const lastFirst = Object.entries({ ...pending[sender], ...queued[sender] })
      .toSorted(([one], [other]) => Number(other) - Number(one))
      .map(([, { hash }]) => hash);
    const unread = lastFirst.filter((hash) => !raws.has(hash));
    if (unread.length === 0)
      return resend(
        url,
        sender,
        lastFirst.flatMap((hash) => raws.get(hash) ?? []),
      );
    for (const hash of unread) {
      const raw = await askChain(url, RAW, 'eth_getRawTransactionByHash', hash);
      // It has left the pool since: the next round looks again.
      if (raw === null) return false;
      raws.set(hash, raw);
    }
  }
}

async function resend(url: string, sender: string, raws: readonly string[]): Promise<true> {
  await sendToChain(url, 'anvil_removePoolTransactions', sender);
  for (const raw of raws) {
    try {
      await sendToChain(url, 'eth_sendRawTransaction', raw);
    } catch (error) {
      // It was mined or sent again meanwhile, or the sender can no longer pay for it. The others must still go out.
      if (!(error instanceof DevRpcRefusal)) throw error;
    }
  }
  return true;
}

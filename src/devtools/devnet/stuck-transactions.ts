import { z } from 'zod';
import { askChain, DevRpcRefusal, HEX_NUMBER, sendToChain } from './dev-rpc.js';

const STATUS = z.object({ queued: HEX_NUMBER });
/** Queued transactions by sender, then by nonce in decimal. */
const CONTENT = z.object({ queued: z.record(z.string(), z.record(z.string(), z.object({ hash: z.string() }))) });

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
  for (const [sender, byNonce] of Object.entries(queued)) {
    const nonce = await askChain(url, HEX_NUMBER, 'eth_getTransactionCount', sender, 'latest');
    // Without the sender's next transaction, the queued ones wait rightly.
    if (!(`${nonce}` in byNonce)) continue;
    await resend(url, sender, byNonce);
    wereStuck = true;
  }
  return wereStuck;
}

async function resend(url: string, sender: string, byNonce: Readonly<Record<string, { hash: string }>>): Promise<void> {
  // The first one goes last: it makes the others ready, and none of them can be mined before.
  const lastFirst = Object.entries(byNonce).toSorted(([one], [other]) => Number(other) - Number(one));
  const raws: string[] = [];
  for (const [, { hash }] of lastFirst) raws.push(await askChain(url, z.string(), 'eth_getRawTransactionByHash', hash));
  await sendToChain(url, 'anvil_removePoolTransactions', sender);
  for (const raw of raws) {
    try {
      await sendToChain(url, 'eth_sendRawTransaction', raw);
    } catch (error) {
      // Its sender sent it again, or it was mined meanwhile.
      if (!(error instanceof DevRpcRefusal)) throw error;
    }
  }
}

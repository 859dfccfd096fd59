import type { DevChain } from '../../src/devtools/devnet/dev-chain.js';
import {
  broadcastTransfer,
  nextNonce,
  signTestTransfer,
  type TestTransfer,
} from '../../src/devtools/devnet/test-transfer.js';

/** How often another sender of the same account may have been faster. */
const TRIES_MAX = 20;

/** One queue per sending account: two transfers in flight would ask for a nonce at one time and get the same. */
const queues = new Map<string, Promise<unknown>>();

/**
 * Signs and sends a transfer and gives its hash; it is mined a few milliseconds later. Safe to be called concurrently,
 * and beside other processes that send from the same account.
 */
export async function sendTestTokens(chain: DevChain, transfer: TestTransfer): Promise<string> {
  const queue = `${chain.rpcUrl} ${(transfer.from ?? chain.faucet).address}`;
  const previous = queues.get(queue) ?? Promise.resolve();
  const sent = previous.then(() => sendNext(chain, transfer));
  queues.set(
    queue,
    sent.catch(() => undefined),
  );
  return sent;
}

async function sendNext(chain: DevChain, transfer: TestTransfer): Promise<string> {
  const { address } = transfer.from ?? chain.faucet;
  for (let attempt = 1; ; attempt += 1) {
    const signed = await signTestTransfer(chain, transfer, await nextNonce(chain, address));
    try {
      await broadcastTransfer(chain, signed);
      return signed.txHash;
    } catch (error) {
      // Only a nonce that was taken meanwhile is worth another try: these bytes can never be mined now.
      const isNonceLost = (await nextNonce(chain, address)) > signed.nonce;
      if (!isNonceLost || attempt === TRIES_MAX) throw error;
    }
  }
}

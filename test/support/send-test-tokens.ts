import type { DevChain } from '../../src/devtools/devnet/dev-chain.js';
import {
  broadcastTransfer,
  nextNonce,
  signTestTransfer,
  type TestTransfer,
} from '../../src/devtools/devnet/test-transfer.js';

/** Tries while other senders of the same account are faster. */
const TRIES_MAX = 20;

/** One queue per sending account, because two concurrent transfers would get the same nonce. */
const queues = new Map<string, Promise<unknown>>();

/**
 * Signs and sends a transfer and returns its hash; it is mined a few milliseconds later. Safe to call concurrently, also
 * while other processes send from the same account.
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
      // Retries only when the nonce was taken meanwhile, so that these bytes can never be mined.
      const isNonceLost = (await nextNonce(chain, address)) > signed.nonce;
      if (!isNonceLost || attempt === TRIES_MAX) throw error;
    }
  }
}

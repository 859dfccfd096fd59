import type { EvmDevChain } from '../../src/devtools/devnet/evm-dev-chain.js';
import {
  broadcastTransfer,
  nextNonce,
  signTestTransfer,
  type TestTransfer,
} from '../../src/devtools/devnet/test-transfer.js';

/** The retries after another sender of the same account was faster. */
const TRIES_MAX = 20;

/** One queue per sending account: two concurrent transfers would get the same nonce. */
const queues = new Map<string, Promise<unknown>>();

/**
 * Signs and sends a transfer and returns its hash; it is mined a few milliseconds later. Safe for concurrent calls, and
 * beside other processes that send from the same account.
 */
export async function sendTestTokens(chain: EvmDevChain, transfer: TestTransfer): Promise<string> {
  const queue = `${chain.rpcUrl} ${(transfer.from ?? chain.faucet).address}`;
  const previous = queues.get(queue) ?? Promise.resolve();
  const sent = previous.then(() => sendNext(chain, transfer));
  queues.set(
    queue,
    sent.catch(() => undefined),
  );
  return sent;
}

async function sendNext(chain: EvmDevChain, transfer: TestTransfer): Promise<string> {
  const { address } = transfer.from ?? chain.faucet;
  for (let attempt = 1; ; attempt += 1) {
    const signed = await signTestTransfer(chain, transfer, await nextNonce(chain, address));
    try {
      await broadcastTransfer(chain, signed);
      return signed.txHash;
    } catch (error) {
      // Only a nonce that was used in the meantime is worth a retry: these bytes can never be mined now.
      const isNonceLost = (await nextNonce(chain, address)) > signed.nonce;
      if (!isNonceLost || attempt === TRIES_MAX) throw error;
    }
  }
}

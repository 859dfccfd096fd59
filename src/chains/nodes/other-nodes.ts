import { setTimeout as sleep } from 'node:timers/promises';
import { type BlockRef, type ChainClient, ChainUnavailable } from '../chain.js';
import type { ChainNodes } from './chain-nodes.js';

const TRIES_MAX = 4;
const PAUSE_MS = 500;
const OPINION_WITHIN_MS = 3_000;

/**
 * Returns whether other nodes see transfers of these tokens, to any recipient, in a block in which `client` shows none.
 * Null when there is no other node, or none that was healthy within the last minute.
 * @throws ChainUnavailable while a healthy node does not have the block yet: reading waits for it rather than miss a payment.
 */
export async function otherNodesSee(
  nodes: Pick<ChainNodes, 'ask' | 'othersMayAnswer'>,
  client: ChainClient,
  block: BlockRef,
  tokens: readonly string[],
): Promise<boolean | null> {
  for (let tries = 1; ; tries++) {
    const opinions = await nodes.ask((other) => other.hasTransfers(block, tokens), {
      except: client,
      withinMs: OPINION_WITHIN_MS,
    });
    if (opinions.length > 0) return opinions.some(({ answer }) => answer);
    if (!nodes.othersMayAnswer(client)) return null;
    if (tries === TRIES_MAX) {
      throw new ChainUnavailable(`No other node can confirm yet whether block ${block.hash} holds transfers.`);
    }
    await sleep(PAUSE_MS);
  }
}

import { Interface } from 'ethers';
import { z } from 'zod';
import type { AnvilNode } from '../support/anvil-node.js';

const TRANSFER = new Interface(['event Transfer(address indexed from, address indexed to, uint256 value)']);
const LOGS = z.array(z.object({ transactionHash: z.string(), data: z.string() }));

/** A payment that reached a destination on the chain. */
export interface Arrival {
  readonly txHash: string;
  /** Smallest units. */
  readonly amount: bigint;
}

/** Returns the payments of a token that have reached an address, by the token's logs. */
export async function arrivalsAt(node: AnvilNode, token: string, destination: string): Promise<readonly Arrival[]> {
  const topics = TRANSFER.encodeFilterTopics('Transfer', [null, destination]);
  const filter = { address: token, topics, fromBlock: '0x0', toBlock: 'latest' };
  const logs = await node.ask(LOGS, 'eth_getLogs', filter);
  return logs.map(({ transactionHash, data }) => ({ txHash: transactionHash, amount: BigInt(data) }));
}

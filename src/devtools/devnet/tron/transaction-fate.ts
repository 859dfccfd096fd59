import { z } from 'zod';
import { askNode } from './ask-node.js';

/** When a transaction ends. */
export interface TronValidity {
  /** Ms: no block after the first one of this time can have it (java-tron `Manager.validateCommon`). */
  readonly expiration: number;
}

/**
 * `absent`: neither a block nor the pending ones have it. `dead`: no block can ever have it. `pending`: the node has it.
 * Otherwise its block, whether that is final, and whether the transaction succeeded.
 */
export type TronFate =
  'absent' | 'dead' | 'pending' | { readonly height: number; readonly isFinal: boolean; readonly succeeded: boolean };

const BLOCK = z.object({ block_header: z.object({ raw_data: z.object({ timestamp: z.number().default(0) }) }) });
const INFO = z.object({ id: z.string().optional(), blockNumber: z.number().default(0), result: z.string().optional() });
const TRANSACTION = z.object({ txID: z.string().optional() });

/** Returns what became of a transaction on a development chain, whose node keeps every block. */
export async function tronFate(url: string, txHash: string, { expiration }: TronValidity): Promise<TronFate> {
  // Before the question for the transaction, which then counts for every block up to this one.
  const solid = await askNode(url, BLOCK, 'walletsolidity/getblock', { detail: false });
  const final = await infoOf(url, 'walletsolidity', txHash);
  if (final !== null) return { ...final, isFinal: true };
  if (solid.block_header.raw_data.timestamp >= expiration) return 'dead';
  const included = await infoOf(url, 'wallet', txHash);
  if (included !== null) return { ...included, isFinal: false };
  const { txID } = await askNode(url, TRANSACTION, 'wallet/gettransactionbyid', { value: txHash });
  return txID === undefined ? 'absent' : 'pending';
}

async function infoOf(url: string, of: 'wallet' | 'walletsolidity', txHash: string) {
  const { id, blockNumber, result } = await askNode(url, INFO, `${of}/gettransactioninfobyid`, { value: txHash });
  return id === undefined ? null : { height: blockNumber, succeeded: result !== 'FAILED' };
}

import { z } from 'zod';
import { askChain, HEX_NUMBER, sendToChain } from './dev-rpc.js';
import { resendStuckTransactions } from './stuck-transactions.js';

const STATUS = z.object({ pending: HEX_NUMBER });

/**
 * Mines the transactions of the pool that the chain did not mine by itself, and returns whether there were any: of many
 * that come at once, anvil sometimes leaves some there until the next one comes, or without end. Does nothing while
 * automatic mining is off.
 */
export async function mineLeftTransactions(url: string): Promise<boolean> {
  if (!(await askChain(url, z.boolean(), 'anvil_getAutomine'))) return false;
  const isLeft = (await resendStuckTransactions(url)) || (await askChain(url, STATUS, 'txpool_status')).pending > 0;
  if (isLeft) await sendToChain(url, 'evm_mine');
  return isLeft;
}

import type { SentStake } from '../../chains/expiring-sent.js';
import { newId } from '../../domain/ids.js';
import { rows, type Tx } from '../../platform/database/database.js';
import { insertAdopted, markOrderSigned } from '../../treasury/stakes/stake-orders.sql.js';

/**
 * Records an unrecorded change of the hot wallet's stake as the signer does: for the order that waits for it, where there is
 * one. Otherwise its order was lost, or the owner of the wallet made it elsewhere: it gets one. Joins the caller's transaction.
 */
export async function adoptStake(
  tx: Tx,
  chainRef: string,
  { move, amount }: SentStake,
): Promise<{ readonly purpose: 'stake'; readonly purposeId: string }> {
  const [waiting] = await rows(tx, markOrderSigned(chainRef, { move, amount }));
  if (waiting !== undefined) return { purpose: 'stake', purposeId: waiting.id };
  const purposeId = newId('stk_');
  await rows(tx, insertAdopted(purposeId, chainRef, { move, amount }));
  return { purpose: 'stake', purposeId };
}

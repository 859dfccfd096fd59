import { rows, type Tx } from '../../platform/database/database.js';
import type { StakingOrder } from '../transactions/transaction-order.js';
import { lockOrder } from './stake-orders.sql.js';

/** Locks an order to stake and returns it, by its row alone; null when there is none. */
export async function stakingOrder(tx: Tx, id: string): Promise<StakingOrder | null> {
  const [row] = await rows(tx, lockOrder(id));
  if (row === undefined) return null;
  const { chainRef, move, amount } = row;
  return { kind: 'stake', chainRef, move, amount: BigInt(amount) };
}

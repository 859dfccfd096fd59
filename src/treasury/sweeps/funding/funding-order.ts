import { rows, type Tx } from '../../../platform/database/database.js';
import type { FundingOrder } from '../../transactions/transaction-order.js';
import { lockFunding } from './fundings.sql.js';

/** Locks a funding and returns its order, by its rows alone; null when there is none. */
export async function fundingOrder(tx: Tx, id: string): Promise<FundingOrder | null> {
  const [row] = await rows(tx, lockFunding(id));
  if (row === undefined) return null;
  const { chainRef, recipient, index } = row;
  return { kind: 'funding', chainRef, recipient, index, amount: BigInt(row.amount) };
}

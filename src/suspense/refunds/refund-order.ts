import { type Asset, assetOf } from '../../domain/posting.js';
import { rows, type Tx } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import type { TransferOrder } from '../../treasury/transactions/transaction-order.js';
import { findHeldRefunds, lockOpenRefunds, type RefundLock } from './refund-order.sql.js';

/** A refund that has not ended, and its transfer of the whole deposit. */
export interface RefundOrder extends Omit<
  RowOf<typeof lockOpenRefunds>,
  'chainRef' | 'tokenContract' | 'amount' | 'destinationKey'
> {
  readonly asset: Asset;
  readonly transfer: TransferOrder;
}

/** Locks the open refund with this id in the caller's transaction; returns null when there is none or it has ended. */
export async function lockRefund(tx: Tx, id: string, lock: RefundLock): Promise<RefundOrder | null> {
  const [order] = await lockRefunds(tx, [id], lock);
  return order ?? null;
}

/** Locks the open ones of these refunds in the caller's transaction, and returns them, the oldest first. */
export async function lockRefunds(tx: Tx, ids: readonly string[], lock: RefundLock): Promise<readonly RefundOrder[]> {
  const locked = await rows(tx, lockOpenRefunds(ids, lock));
  return locked.map(orderOf);
}

function orderOf({
  chainRef,
  tokenContract: token,
  amount,
  destinationKey: recipient,
  ...order
}: RowOf<typeof lockOpenRefunds>): RefundOrder {
  return {
    ...order,
    asset: assetOf(order.network, token),
    transfer: { kind: 'transfer', chainRef, token, amount: BigInt(amount), recipient },
  };
}

/** Returns those of the refunds for which the books hold the deposit. A row without that booking is not an order. */
export async function heldRefunds(tx: Tx, orders: readonly RefundOrder[]): Promise<ReadonlySet<string>> {
  const ordered = orders.map(({ id, depositId, environment, asset, transfer: { amount } }) => {
    return { id, depositId, reference: refundReference(depositId, id), amount, environment, asset };
  });
  const held = await rows(tx, findHeldRefunds(ordered));
  return new Set(held.map(({ id }) => id));
}

/** Returns the reference of a refund's entries. It begins with the deposit, like those of all entries about deposits. */
export const refundReference = (depositId: string, refundId: string): string => `return:${depositId}:${refundId}`;

import type { TransferOrder } from '../../treasury/transactions/transaction-order.js';
import type { Withdrawal } from '../withdrawal.entity.js';

/** Returns the transfer that a withdrawal orders. */
export const transferOf = ({ chainRef, tokenContract, amount, destinationKey }: Withdrawal): TransferOrder => ({
  kind: 'transfer',
  chainRef,
  token: tokenContract,
  amount,
  recipient: destinationKey,
});

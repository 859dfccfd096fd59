import type { TransferOrder } from '../../treasury/transactions/transaction-order.js';
import type { Withdrawal } from '../withdrawal.entity.js';

/** What a withdrawal pays. */
export const transferOf = ({ chainRef, tokenContract, amount, destinationKey }: Withdrawal): TransferOrder => ({
  kind: 'transfer',
  chainRef,
  token: tokenContract,
  amount,
  recipient: destinationKey,
});

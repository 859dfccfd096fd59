import type { PaymentState } from '../../domain/intent-state.js';
import type { Deposit } from '../deposits/deposit.entity.js';

/**
 * Where a transfer stands for its intent. A listed sender's is on hold from the moment that it is final, first unbooked
 * and then booked as frozen, until staff release it: from then on `heldAs` is null, and it is a payment like others. What
 * the chain lost before it was booked is no payment, nor is what was booked out while it was on hold.
 */
export function paymentStateOf(deposit: Deposit): PaymentState {
  const { status, creditedAt, goneAt, listedSenderId, heldAs, reversedAt, restoredAt, wasReleasedBeforeReversal } =
    deposit;
  if (status !== 'confirmed') return status;
  if (goneAt !== null && creditedAt === null) return 'orphaned';
  if (listedSenderId === null) return 'confirmed';
  if (reversedAt !== null && restoredAt === null) return wasReleasedBeforeReversal === true ? 'confirmed' : 'orphaned';
  if (creditedAt === null || heldAs === 'frozen') return 'on_hold';
  return heldAs === 'kept' ? 'kept' : 'confirmed';
}

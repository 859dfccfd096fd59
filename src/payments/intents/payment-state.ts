import type { PaymentState } from '../../domain/intent-state.js';
import type { PaymentDeposit } from '../deposits/payment-deposit.js';

/**
 * Returns the state of a transfer for its intent. A listed sender's transfer is on hold from the moment it is final,
 * first unbooked and then booked as frozen, until staff release it: from then on `heldAs` is null, and it is a payment
 * like others. A transfer that was reorged before it was booked is no payment, nor is one that was booked out while it
 * was on hold.
 */
export function paymentStateOf(deposit: PaymentDeposit): PaymentState {
  const { status, bookedAt, goneAt, listedSenderId, heldAs, reversedAt, restoredAt, wasReleasedBeforeReversal } =
    deposit;
  if (status !== 'confirmed') return status;
  if (goneAt !== null && bookedAt === null) return 'orphaned';
  if (listedSenderId === null) return 'confirmed';
  if (reversedAt !== null && restoredAt === null) return wasReleasedBeforeReversal === true ? 'confirmed' : 'orphaned';
  if (bookedAt === null || heldAs === 'frozen') return 'on_hold';
  return heldAs === 'kept' ? 'kept' : 'confirmed';
}

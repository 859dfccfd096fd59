import { PAYMENT_REFUSALS } from './outgoing-payment.js';

/** The statuses of spec 3.2, and `failed`: then amount and fee are back in the pocket. */
export const WITHDRAWAL_STATUSES = ['broadcasting', 'completed', 'failed'] as const;
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];

/** What staff must do before a withdrawal is signed. */
export const STAFF_STEPS = ['approval', 'unfreezing'] as const;
export type StaffStep = (typeof STAFF_STEPS)[number];

/** Why a withdrawal failed, in words for the merchant. */
export const FAILURES = {
  transaction_reverted: 'The network refused the transfer: the token or the destination does not accept it.',
  ...PAYMENT_REFUSALS,
  address_blocked: 'The destination is on a sanctions list.',
  cancelled: 'The withdrawal was cancelled before it was paid.',
  chain_gone: 'The development chain was replaced.',
} as const;
export type FailureCode = keyof typeof FAILURES;
export const FAILURE_CODES = [
  'transaction_reverted',
  'destination_rejects',
  'destination_needs_gas',
  'address_blocked',
  'cancelled',
  'chain_gone',
] as const satisfies readonly FailureCode[];

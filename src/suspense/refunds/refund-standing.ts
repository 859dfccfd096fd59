import { FAILURES, STANDINGS, WAITING_REASONS } from '../../domain/withdrawal.js';

const DEPOSIT_GONE = {
  deposit_gone: 'The chain was found without the deposit: nothing is paid out that is not there.',
} as const;

/** Why a return is not signed yet, for operators: what withdrawals wait for too, and the deposit. */
export type RefundWaitingReason = keyof typeof WAITING_REASONS | keyof typeof DEPOSIT_GONE;

/** Where a return that has not ended stands, for operators. */
export const REFUND_STANDINGS = { ...STANDINGS, ...DEPOSIT_GONE } as const;
export type RefundStanding = keyof typeof REFUND_STANDINGS;

/** Why a return failed, for operators; the deposit is in suspense again then. */
export const REFUND_FAILURES = {
  transaction_reverted: 'The network refused the transfer: the token or the destination does not accept it.',
  destination_rejects: FAILURES.destination_rejects,
  destination_needs_gas: FAILURES.destination_needs_gas,
  address_blocked: 'The destination was put on a sanctions list before it was paid.',
  cancelled: 'It was cancelled before it was paid.',
  chain_gone: 'The development chain was begun anew.',
} as const;
export type RefundFailureCode = keyof typeof REFUND_FAILURES;

import { PAYMENT_REFUSALS, STANDINGS, WAITING_REASONS } from '../../domain/outgoing-payment.js';

const DEPOSIT_GONE = {
  deposit_gone: 'A reorg removed the deposit from the chain, so there is no money to pay out.',
} as const;

/** Why a refund is not signed yet, for operators: the reasons of payments, and the deposit. */
export type RefundWaitingReason = keyof typeof WAITING_REASONS | keyof typeof DEPOSIT_GONE;

/** The standing of an open refund, in words for operators. */
export const REFUND_STANDINGS = { ...STANDINGS, ...DEPOSIT_GONE } as const;
export type RefundStanding = keyof typeof REFUND_STANDINGS;

/** Why a refund failed, in words for operators. The deposit is in suspense again then. */
export const REFUND_FAILURES = {
  transaction_reverted: 'The network refused the transfer: the token or the destination does not accept it.',
  ...PAYMENT_REFUSALS,
  address_blocked: 'The destination was added to a sanctions list before it was paid.',
  cancelled: 'It was cancelled before it was paid.',
  chain_gone: 'The development chain was replaced.',
} as const;
export type RefundFailureCode = keyof typeof REFUND_FAILURES;

import { WAITING_REASONS } from '../../domain/outgoing-payment.js';

/** Why a sweep is not signed yet, for operators: the reasons of payments, its funding, and the cap. */
export const SWEEP_WAITING_REASONS = {
  ...WAITING_REASONS,
  funding_not_final: 'The coins that its address pays with are on their way.',
  energy_not_final: 'The energy that its address uses is being lent to it.',
  hot_wallet_full: 'The hot wallet would hold more than its cap, or prices are missing.',
} as const;
export type SweepWaitingReason = keyof typeof SWEEP_WAITING_REASONS;

/** Spec 3.2, and `failed` beyond it (api.md 3): then amount and fee are back in the pocket. */
export const WITHDRAWAL_STATUSES = ['broadcasting', 'completed', 'failed'] as const;
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];

/** How much is tipped to the block's maker (spec 4.6). */
export const FEE_STRATEGIES = ['standard', 'fast'] as const;
export type FeeStrategy = (typeof FEE_STRATEGIES)[number];

/** Why a withdrawal failed, for the merchant. */
export const FAILURES = {
  transaction_reverted: 'The network refused the transfer: the token or the destination does not accept it.',
  address_blocked: 'The destination is on a sanctions list.',
} as const;
export type FailureCode = keyof typeof FAILURES;
export const FAILURE_CODES = ['transaction_reverted', 'address_blocked'] as const satisfies readonly FailureCode[];

/** Why a withdrawal is not signed yet, for operators: it waits, and is tried again by itself. */
export const WAITING_REASONS = {
  no_hot_wallet: 'The chain has no hot wallet yet; the vault makes it when it is open.',
  wallet_frozen: 'Signing on this chain is frozen; staff must look into it.',
  merchant_frozen: 'Withdrawals of this merchant are frozen by staff.',
  over_limit: "The merchant's or the pocket's daily limit is reached.",
  destination_not_allowed: "The destination is not on the merchant's list of allowed destinations.",
  no_fresh_fees: 'What the network charges is not known; no node told it lately.',
  fees_above_cap: 'The network charges more than the cap for this chain.',
  balance_unknown: 'What the hot wallet holds is not known yet.',
  coins_missing: 'The hot wallet holds less than the amount.',
  gas_missing: "The hot wallet holds too little of the chain's own coin to pay for gas.",
} as const;
export type WaitingReason = keyof typeof WAITING_REASONS;

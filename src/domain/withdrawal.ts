/** The statuses of spec 3.2, and `failed`: then amount and fee are back in the pocket. */
export const WITHDRAWAL_STATUSES = ['broadcasting', 'completed', 'failed'] as const;
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];

/** The size of the tip to the block's producer (spec 4.6). */
export const FEE_STRATEGIES = ['standard', 'fast'] as const;
export type FeeStrategy = (typeof FEE_STRATEGIES)[number];

/** Why a withdrawal failed, in words for the merchant. */
export const FAILURES = {
  transaction_reverted: 'The network refused the transfer: the token or the destination does not accept it.',
  destination_rejects:
    'The destination or the token refuses the payment: a simulation showed it, or a payment in this asset to this address failed on the network within 24 hours.',
  destination_needs_gas: 'The destination needs more gas to receive the payment than a payment may carry.',
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

/** Why a payment is refused before it is signed. */
export type PaymentRefusal = Extract<FailureCode, 'destination_rejects' | 'destination_needs_gas'>;

/** Whether the outcome of a payment is a refusal by its destination. */
export const isPaymentRefusal = (outcome: string): outcome is PaymentRefusal =>
  outcome === 'destination_rejects' || outcome === 'destination_needs_gas';

/** Why a withdrawal is not signed yet, in words for operators. It waits and is retried automatically. */
export const WAITING_REASONS = {
  no_hot_wallet: 'The chain has no hot wallet yet; an open vault creates it.',
  not_booked: 'Its amount and fee are not held in the ledger, so the withdrawal cannot be trusted.',
  chain_halted: 'The chain contradicted itself, or its nodes disagree on a final block.',
  wallet_frozen: 'Signing on this chain is frozen; an operator must investigate.',
  merchant_frozen: 'Withdrawals of this merchant are frozen by staff.',
  over_limit: "The merchant's or the pocket's daily limit is reached.",
  destination_not_allowed: "The destination is not on the merchant's list of allowed destinations.",
  approval_missing: 'The amount needs the approval of an operator.',
  new_destination: 'The destination is new to the merchant. The withdrawal waits, unless an operator approves it.',
  no_fresh_fees: 'The current network fee is unknown; no node has reported it recently.',
  fees_above_cap: 'The network fee is above the cap for this chain, or above the limit that nodes accept.',
  balance_unknown: 'The balance of the hot wallet is not known yet.',
  coins_missing: 'The hot wallet holds less than the amount, or too little of the coin beside its gas reserve.',
  gas_missing: "The hot wallet has too little of the chain's own coin to pay for gas.",
  not_simulated:
    'No simulation of the last minute shows that the destination accepts it; the worker will simulate it again.',
  payments_in_flight: 'The limit of coin payments in flight to the same destination is reached.',
} as const;
export type WaitingReason = keyof typeof WAITING_REASONS;

const HELD_BY_RULE: ReadonlySet<string> = new Set<WaitingReason>(['approval_missing', 'new_destination']);

/** Whether a withdrawal waits by a rule of the merchant. It is then not stuck, however long it takes. */
export const isHeldByRule = (standing: string | null): boolean => standing !== null && HELD_BY_RULE.has(standing);

/** The standing of an open withdrawal, in words for operators: why it is not signed, or its progress since. */
export const STANDINGS = {
  ...WAITING_REASONS,
  not_looked_at: 'No open vault has checked it yet.',
  not_sent: 'It is signed, and no node has accepted it yet.',
  not_final: 'A node has accepted it, and it is not final yet.',
} as const;
export type Standing = keyof typeof STANDINGS;

/** Describes a standing. `until` is when it ends by itself, if that is known. */
export const standingText = (standing: Standing, until: Date | null): string =>
  until === null ? STANDINGS[standing] : `${STANDINGS[standing]} Until ${until.toISOString()}.`;

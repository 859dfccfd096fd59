/** Spec 3.2, and `failed` beyond it (api.md 3): then amount and fee are back in the pocket. */
export const WITHDRAWAL_STATUSES = ['broadcasting', 'completed', 'failed'] as const;
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];

/** How much is tipped to the block's maker (spec 4.6). */
export const FEE_STRATEGIES = ['standard', 'fast'] as const;
export type FeeStrategy = (typeof FEE_STRATEGIES)[number];

/** Why a withdrawal failed, for the merchant. */
export const FAILURES = {
  transaction_reverted: 'The network refused the transfer: the token or the destination does not accept it.',
  destination_rejects:
    'The destination or the token refuses the payment: a simulation showed it, or a payment in this asset to this address failed on the network within 24 hours.',
  destination_needs_gas: 'The destination needs more gas to receive the payment than a payment may carry.',
  address_blocked: 'The destination is on a sanctions list.',
  cancelled: 'The withdrawal was cancelled before it was paid.',
  chain_gone: 'The development chain was begun anew.',
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

/** Why a payment is refused before anything is signed for it. */
export type PaymentRefusal = Extract<FailureCode, 'destination_rejects' | 'destination_needs_gas'>;

/** Whether what became of a payment is a refusal by its destination. */
export const isPaymentRefusal = (outcome: string): outcome is PaymentRefusal =>
  outcome === 'destination_rejects' || outcome === 'destination_needs_gas';

/** Why a withdrawal is not signed yet, for operators: it waits, and is tried again by itself. */
export const WAITING_REASONS = {
  no_hot_wallet: 'The chain has no hot wallet yet; the vault makes it when it is open.',
  not_booked: 'Its amount and fee are not held in the books: the order itself cannot be trusted.',
  chain_halted: 'The chain contradicted itself, or its nodes disagree on what is final.',
  wallet_frozen: 'Signing on this chain is frozen; staff must look into it.',
  merchant_frozen: 'Withdrawals of this merchant are frozen by staff.',
  over_limit: "The merchant's or the pocket's daily limit is reached.",
  destination_not_allowed: "The destination is not on the merchant's list of allowed destinations.",
  approval_missing: 'It pays more than is signed without the approval of an operator.',
  new_destination: 'The destination is new to the merchant, and a rule has it wait, unless an operator approves it.',
  no_fresh_fees: 'What the network charges is not known; no node told it lately.',
  fees_above_cap:
    'The network charges more than the cap for this chain, or nodes would refuse to take so high an offer.',
  balance_unknown: 'What the hot wallet holds is not known yet.',
  coins_missing: 'The hot wallet holds less than the amount, or of the coin too little beside the gas that it keeps.',
  gas_missing: "The hot wallet holds too little of the chain's own coin to pay for gas.",
  not_simulated:
    'No simulation of the last minute shows that the destination accepts it; the worker asks the nodes again.',
  payments_in_flight:
    'As many coin payments to the same destination as may be in flight at once are signed and not final yet.',
} as const;
export type WaitingReason = keyof typeof WAITING_REASONS;

const HELD_BY_RULE: ReadonlySet<string> = new Set<WaitingReason>(['approval_missing', 'new_destination']);

/** True of what waits because staff want it to, for them or for time to pass: it is not stuck, however long that takes. */
export const isHeldByRule = (standing: string | null): boolean => standing !== null && HELD_BY_RULE.has(standing);

/** Where a withdrawal that has not ended stands, for operators: why it is not signed, or how far it has come since. */
export const STANDINGS = {
  ...WAITING_REASONS,
  not_looked_at: 'No open vault has looked at it yet.',
  not_sent: 'It is signed, and no node has taken it yet.',
  not_final: 'A node has taken it, and it is not final yet.',
} as const;
export type Standing = keyof typeof STANDINGS;

/** A standing in words. `until` is when it ends by itself, where that is known. */
export const standingText = (standing: Standing, until: Date | null): string =>
  until === null ? STANDINGS[standing] : `${STANDINGS[standing]} Until ${until.toISOString()}.`;

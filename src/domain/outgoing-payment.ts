/** The size of the tip to the block's producer (spec 4.6). */
export const FEE_STRATEGIES = ['standard', 'fast'] as const;
export type FeeStrategy = (typeof FEE_STRATEGIES)[number];

/** Why the destination refuses a payment before it is signed, in words for the merchant. */
export const PAYMENT_REFUSALS = {
  destination_rejects:
    'The destination or the token refuses the payment: a simulation showed it, or a payment in this asset to this address failed on the network within 24 hours.',
  destination_needs_gas: 'The destination needs more gas to receive the payment than a payment may carry.',
} as const;
export type PaymentRefusal = keyof typeof PAYMENT_REFUSALS;

/** Whether the outcome of a payment is a refusal by its destination. */
export const isPaymentRefusal = (outcome: string): outcome is PaymentRefusal =>
  Object.hasOwn(PAYMENT_REFUSALS, outcome);

/** Why a payment is not signed yet, in words for operators. It waits and is retried automatically. */
export const WAITING_REASONS = {
  no_hot_wallet: 'The chain has no hot wallet yet; an open vault creates it.',
  not_booked: 'The ledger holds no matching funds for it: the row was not created by the service.',
  chain_halted: 'The chain is halted after a reorg of final blocks, or its nodes disagree on one.',
  listener_paused: 'Staff paused the listener of the network; an administrator can resume it.',
  wallet_frozen: 'Signing on this chain is frozen; an operator must investigate.',
  merchant_frozen: 'Withdrawals of this merchant are frozen by staff.',
  over_limit: "The merchant's or the pocket's daily limit is reached.",
  destination_not_allowed: "The destination is not on the merchant's list of allowed destinations.",
  approval_missing: 'The amount needs approval.',
  new_destination: 'The destination is new to the merchant. The withdrawal waits, unless it is approved.',
  no_fresh_fees: 'The current network fee is unknown; no node has reported it recently.',
  fees_above_cap: 'The network fee is above the cap for this chain, or above the limit that nodes accept.',
  balance_unknown: 'The balance of the hot wallet is not known yet.',
  coins_missing: 'The hot wallet holds less than the amount, or too little of the coin beside its gas reserve.',
  gas_missing: "The hot wallet has too little of the chain's own coin to pay for gas.",
  energy_missing: 'The hot wallet can lend less energy than was planned; the sweep is planned again.',
  token_changed:
    'The issuer of the token takes a fee of each transfer, or has deprecated its contract. Nothing is paid in it until that ends.',
  not_simulated:
    'No simulation of the last minute shows that the destination accepts it; the worker will simulate it again.',
  payments_in_flight: 'The limit of coin payments in flight to the same destination is reached.',
} as const;
export type WaitingReason = keyof typeof WAITING_REASONS;

const HELD_BY_RULE: ReadonlySet<string> = new Set<WaitingReason>(['approval_missing', 'new_destination']);

/** Whether a withdrawal waits by a rule of the merchant. It is then not stuck, however long it takes. */
export const isHeldByRule = (standing: string | null): boolean => standing !== null && HELD_BY_RULE.has(standing);

/** The standing of an open payment, in words for operators: why it is not signed, or its progress since. */
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

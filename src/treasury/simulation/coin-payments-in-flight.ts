/** Payments in the coin to one destination are counted up to here. */
export const COIN_PAYMENTS_COUNTED = 50;

/** The payments in the coin to one destination on one chain, each counted up to `COIN_PAYMENTS_COUNTED`. */
export interface CoinPayments {
  /** Signed and not final. */
  readonly inFlight: number;
  readonly succeeded: number;
}

/**
 * Whether one more payment in the coin to a destination must wait until one in flight is final. A contract can accept every
 * simulation and revert what is mined later, and each revert costs us gas. So a destination with code may have as many
 * payments in flight as it has taken before. One without code may get code while payments are in flight: the bound alone
 * limits these.
 */
export function mustWaitForCoinPayments(hasCode: boolean, { inFlight, succeeded }: CoinPayments): boolean {
  return inFlight >= (hasCode ? Math.max(1, succeeded) : COIN_PAYMENTS_COUNTED);
}

/** Upper bound of the counted payments in the coin to one destination. */
export const COIN_PAYMENTS_COUNTED = 50;

/** The payments in the coin to one destination on one chain, each counted up to `COIN_PAYMENTS_COUNTED`. */
export interface CoinPayments {
  /** Signed and not final. */
  readonly inFlight: number;
  readonly succeeded: number;
}

/**
 * Returns whether another payment in the coin to a destination must wait until one in flight is final. A contract can
 * accept every simulation and still revert once mined, and each revert costs us gas. So a destination with code may
 * have as many payments in flight as it has received before. A destination without code may get code meanwhile: only
 * the bound limits these.
 */
export function mustWaitForCoinPayments(hasCode: boolean, { inFlight, succeeded }: CoinPayments): boolean {
  return inFlight >= (hasCode ? Math.max(1, succeeded) : COIN_PAYMENTS_COUNTED);
}

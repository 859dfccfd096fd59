/** Tokens that are pegged to one US dollar, on every network. */
const STABLECOINS = ['USDC', 'USDT'] as const;
export type Stablecoin = (typeof STABLECOINS)[number];

/** Whether a token of this symbol is pegged to one US dollar. */
export function isStablecoin(symbol: string): symbol is Stablecoin {
  return STABLECOINS.some((stablecoin) => stablecoin === symbol);
}

/** Tokens that are meant to be worth one US dollar, wherever they are on offer. */
const STABLECOINS = ['USDC', 'USDT'] as const;
export type Stablecoin = (typeof STABLECOINS)[number];

/** Whether a token of this symbol is meant to be worth one US dollar. */
export function isStablecoin(symbol: string): symbol is Stablecoin {
  return STABLECOINS.some((stablecoin) => stablecoin === symbol);
}

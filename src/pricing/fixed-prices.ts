/** Prices of the sandbox in USD (api.md 7). Never for live: the configuration refuses it. */
const FIXED_PRICES: Readonly<Record<string, string>> = {
  USDC: '1',
  USDT: '1',
  ETH: '3000',
  POL: '0.5',
  BNB: '600',
  SOL: '150',
  TRX: '0.25',
};

/** Always the same price, so that a sandbox behaves the same every day; null for a token that has none. */
export function fixedPrice(token: string): string | null {
  return FIXED_PRICES[token] ?? null;
}

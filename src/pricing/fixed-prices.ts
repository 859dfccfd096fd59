/** Prices of the sandbox in USD. Never for live: the configuration refuses it. */
const FIXED_PRICES: Readonly<Record<string, string>> = {
  USDC: '1',
  USDT: '1',
  ETH: '3000',
  POL: '0.5',
  BNB: '600',
  SOL: '150',
  TRX: '0.25',
};

/** Returns always the same price, so that a sandbox behaves the same every day; null for a token without one. */
export function fixedPrice(token: string): string | null {
  return FIXED_PRICES[token] ?? null;
}

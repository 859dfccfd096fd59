/** What one source says one whole token is worth in USD, as a decimal string; null when it says nothing. */
export interface SourceQuote {
  readonly source: string;
  readonly price: string | null;
}

/** A place prices come from. Sources of the market come later; these two need no network. */
export interface PriceSource {
  readonly name: string;
  quote(token: string): Promise<SourceQuote>;
}

/** Prices of the sandbox (api.md 7), in USD. Never for live: the configuration refuses it. */
const FIXED_PRICES: Readonly<Record<string, string>> = {
  USDC: '1',
  USDT: '1',
  ETH: '3000',
  POL: '0.5',
  BNB: '600',
  SOL: '150',
  TRX: '0.25',
};

/** Always the same price, so that a sandbox behaves the same every day. */
export const fixedPrices: PriceSource = {
  name: 'fixed',
  quote: (token) => Promise.resolve({ source: 'fixed', price: FIXED_PRICES[token] ?? null }),
};

/** Never a price: generate-address answers `price_unavailable`. */
export const noPrices: PriceSource = {
  name: 'none',
  quote: () => Promise.resolve({ source: 'none', price: null }),
};

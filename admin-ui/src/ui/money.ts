/** Fiat minor units as `12.50 USD`. The service keeps them below 2^53. */
export function fiatText(cents: number, currency: string): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)} ${currency}`;
}

/** A price in fiat as it was computed, with two decimals at least: `1.00 USD`, `0.99987 USD`. */
export function priceText(price: string, currency: string): string {
  const [whole = '', fraction = ''] = price.split('.');
  return `${whole}.${fraction.padEnd(2, '0')} ${currency}`;
}

/** An amount of a token, which does not break between the two: `1580.9 USDT`. */
export const amountText = (amount: string, token: string): string => `${amount}\u00a0${token}`;

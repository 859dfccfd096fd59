import { amountText, fiatText as shown, priceText } from '../../admin-ui/src/ui/money.js';
import { fiatText } from '../../src/domain/money.js';

describe('fiat amounts', () => {
  it.each([
    [0, '0.00 USD'],
    [5, '0.05 USD'],
    [1_250, '12.50 USD'],
    [-1_200, '-12.00 USD'],
    [9_007_199_254_740_991, '90071992547409.91 USD'],
  ])('of %i cents have two decimals in the console and in the sentences of the service', (cents, text) => {
    expect([shown(cents, 'USD'), fiatText(BigInt(cents), 'USD')]).toEqual([text, text]);
  });

  it.each([
    ['1', '1.00 USD'],
    ['0.5', '0.50 USD'],
    ['3012.4471', '3012.4471 USD'],
  ])('a price of %s has two decimals at least', (price, text) => {
    expect(priceText(price, 'USD')).toBe(text);
  });
});

describe('an amount of a token', () => {
  it('does not break between its two words', () => {
    expect(amountText('1580.9', 'USDT')).toBe('1580.9\u00a0USDT');
  });
});

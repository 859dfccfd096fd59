import * as fc from 'fast-check';
import { bookPrice, convertPrice, deviatesBeyond, deviationBps, medianOf } from './market-price.js';
import { formatUnits } from './money.js';
import { parsePrice } from './quote.js';

const scaled = fc.bigInt({ min: 1n, max: 10n ** 30n - 1n });

describe('bookPrice', () => {
  it.each([
    ['0.9999', '1.0001', '1'],
    ['2999.99', '3000.00', '2999.995'],
    ['4.00000000', '4.00000200', '4.000001'],
    ['100', '102', '101'],
  ])('[E-58] of %s to %s is the middle, %s', (bid, ask, value) => {
    expect(bookPrice(bid, ask)).toEqual({ value });
  });

  it.each([
    ['a halted market', '0.00000000', '0.00000000', 'not_a_price'],
    ['a side without offers', '0', '3000', 'not_a_price'],
    ['words', 'NaN', '3000', 'not_a_price'],
    ['a negative price', '-3000', '3000', 'not_a_price'],
    ['an exponent', '3e3', '3e3', 'not_a_price'],
    ['a spread of 2.5 %', '100', '102.5', 'wide_book'],
    ['offers that cross', '3001', '3000', 'wide_book'],
  ] as const)('[E-58] of %s is none', (_what, bid, ask, silence) => {
    expect(bookPrice(bid, ask)).toEqual({ silence });
  });
});

describe('convertPrice', () => {
  it.each([
    ['3000', '1', '3000'],
    ['3000', '0.9998', '2999.4'],
    ['0.5', '1.0012', '0.5006'],
    ['0.000000000000000001', '0.4', null],
    ['3000', '0', null],
    ['word', '1', null],
  ])('makes of %s at %s USD each %s', (value, rate, price) => {
    expect(convertPrice(value, rate)).toBe(price);
  });

  it('[A-2] is exact to half of the last digit', () => {
    fc.assert(
      fc.property(scaled, scaled, (value, rate) => {
        const converted = convertPrice(formatUnits(value, 18), formatUnits(rate, 18));
        if (converted === null) return;
        const doubled = 2n * (parsePrice(converted) ?? 0n) * 10n ** 18n;
        expect(doubled - 2n * value * rate).toBeLessThanOrEqual(10n ** 18n);
        expect(2n * value * rate - doubled).toBeLessThanOrEqual(10n ** 18n);
      }),
    );
  });
});

describe('the median', () => {
  it('[E-58] is as far up as down, whatever the order', () => {
    fc.assert(
      fc.property(fc.array(scaled, { minLength: 1, maxLength: 9 }), (values) => {
        const median = medianOf(values);
        expect(medianOf(values.toReversed())).toBe(median);
        expect(values.filter((value) => value <= median).length * 2).toBeGreaterThanOrEqual(values.length);
        // Of two in the middle, the half is rounded down by one digit in the last place.
        expect(values.filter((value) => value >= median).length * 2).toBeGreaterThanOrEqual(values.length);
      }),
    );
  });

  it('of no values is an error of the caller', () => {
    expect(() => medianOf([])).toThrow(RangeError);
  });
});

describe('a deviation', () => {
  it.each([
    [101n, 100n, 100n, false, 100],
    [1010001n, 1000000n, 100n, true, 100],
    [99n, 100n, 100n, false, -100],
    [98n, 100n, 100n, true, -200],
    [100n, 100n, 0n, false, 0],
    [1000n, 100n, 100n, true, 90_000],
    [10n ** 30n, 1n, 100n, true, 1_000_000],
  ])('[E-58] of %s from %s is beyond %s bps: %s; it is shown as %i', (value, centre, bps, isBeyond, shown) => {
    expect(deviatesBeyond(value, centre, bps)).toBe(isBeyond);
    expect(deviationBps(value, centre)).toBe(shown);
  });
});

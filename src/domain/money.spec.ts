import * as fc from 'fast-check';
import {
  cappedJsonInteger,
  UNITS_MAX,
  formatUnits,
  largestFirst,
  minorToUnits,
  mulDivDown,
  mulDivHalfUp,
  mulDivUp,
  parseUnits,
  toJsonInteger,
  unitsToMinorDown,
} from './money.js';

const units = fc.bigInt({ min: 0n, max: UNITS_MAX });
const decimals = fc.integer({ min: 0, max: 18 });

describe('parseUnits', () => {
  it.each([
    ['25', 6, 25_000_000n],
    ['25.5', 6, 25_500_000n],
    ['25.500000', 6, 25_500_000n],
    ['0.000001', 6, 1n],
    ['0', 6, 0n],
    ['0.0', 6, 0n],
    ['7', 0, 7n],
    ['0.000000000000000001', 18, 1n],
    ['115792089237316195423570985008687907853269984665640564039457.584007913129639935', 18, UNITS_MAX],
  ])('[A-2] reads %s with %i decimals exactly', (text, digits, expected) => {
    expect(parseUnits(text, digits)).toBe(expected);
  });

  it.each([
    ['', 'nothing'],
    ['0.0000001', 'more fraction digits than the token has'],
    ['1.0000000', 'more fraction digits, even zeros'],
    ['-1', 'a sign'],
    ['+1', 'a sign'],
    ['1e3', 'an exponent'],
    [' 1', 'a space'],
    ['1 ', 'a space'],
    ['1\n', 'a line break'],
    ['01', 'a leading zero'],
    ['00.5', 'a leading zero'],
    ['.5', 'no whole part'],
    ['5.', 'no fraction'],
    ['1.2.3', 'two points'],
    ['1,5', 'a comma'],
    ['1_000', 'a separator'],
    ['0x10', 'hex'],
    ['NaN', 'a word'],
    ['Infinity', 'a word'],
    ['１', 'a digit that is not ASCII'],
    ['115792089237316195423570985008687907853269984665640564039457584007913129.639936', 'more than 2^256 - 1'],
    ['9'.repeat(100_000), 'any length'],
  ])('[A-2] refuses %j: %s', (text) => {
    expect(parseUnits(text, 6)).toBeNull();
  });
});

describe('formatUnits', () => {
  it.each([
    [25_000_000n, 6, '25'],
    [25_500_000n, 6, '25.5'],
    [1n, 6, '0.000001'],
    [0n, 6, '0'],
    [7n, 0, '7'],
    [100n, 0, '100'],
    [-1_500_000n, 6, '-1.5'],
    [-1n, 18, '-0.000000000000000001'],
    [10n ** 30n, 18, '1000000000000'],
  ])('[spec 2.1] writes %s with %i decimals as %s', (amount, digits, expected) => {
    expect(formatUnits(amount, digits)).toBe(expected);
  });

  it('[A-2] loses nothing: what it writes reads back as the same units', () => {
    fc.assert(
      fc.property(units, decimals, (amount, digits) => parseUnits(formatUnits(amount, digits), digits) === amount),
    );
  });
});

describe('mulDiv', () => {
  it.each([
    [7n, 1n, 2n, 3n, 4n, 4n],
    [5n, 1n, 4n, 1n, 2n, 1n],
    [8n, 1n, 2n, 4n, 4n, 4n],
    [0n, 9n, 5n, 0n, 0n, 0n],
  ])('[E-59] rounds %s * %s / %s down to %s, up to %s, half up to %s', (a, b, divisor, down, up, halfUp) => {
    expect([mulDivDown(a, b, divisor), mulDivUp(a, b, divisor), mulDivHalfUp(a, b, divisor)]).toEqual([
      down,
      up,
      halfUp,
    ]);
  });

  it('[E-59] brackets the exact quotient within one, and the nearest is one of the two', () => {
    fc.assert(
      fc.property(units, units, fc.bigInt({ min: 1n, max: UNITS_MAX }), (a, b, divisor) => {
        const [down, up, nearest] = [mulDivDown(a, b, divisor), mulDivUp(a, b, divisor), mulDivHalfUp(a, b, divisor)];
        expect(down * divisor <= a * b && a * b <= up * divisor).toBe(true);
        expect(up - down).toBe((a * b) % divisor === 0n ? 0n : 1n);
        expect(nearest).toBe(2n * (a * b - down * divisor) < divisor ? down : up);
      }),
    );
  });

  it.each([
    [-1n, 1n, 1n],
    [1n, -1n, 1n],
    [1n, 1n, 0n],
    [1n, 1n, -1n],
  ])('refuses %s * %s / %s, where the direction would turn around', (a, b, divisor) => {
    for (const round of [mulDivDown, mulDivUp, mulDivHalfUp]) expect(() => round(a, b, divisor)).toThrow(RangeError);
  });
});

describe('minor units', () => {
  it.each([
    [1_000_000n, 6, 2, 100n],
    [1_009_999n, 6, 2, 100n],
    [9_999n, 6, 2, 0n],
    [10n ** 18n, 18, 2, 100n],
    [10n ** 18n, 18, 8, 10n ** 8n],
    [8_333_333_333_333_334n, 18, 8, 833_333n],
    [10n ** 10n, 18, 8, 1n],
    [10n ** 10n - 1n, 18, 8, 0n],
    [10n ** 26n + 10n ** 10n - 1n, 18, 8, 10n ** 16n],
    [1n, 6, 8, 100n],
  ])('%s units of a token with %i decimals are, at exponent %i, %s minor units', (amount, digits, exponent, minor) => {
    expect(unitsToMinorDown(amount, digits, exponent)).toBe(minor);
  });

  it('come back exactly wherever the token has as many digits as its minor unit', () => {
    const digitsAndExponent = fc
      .integer({ min: 2, max: 18 })
      .chain((digits) => fc.tuple(fc.constant(digits), fc.nat(digits)));
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), digitsAndExponent, (minor, [digits, exponent]) => {
        const amount = minorToUnits(minor, digits, exponent);
        expect(amount).not.toBeNull();
        expect(unitsToMinorDown(amount ?? -1n, digits, exponent)).toBe(minor);
      }),
    );
  });

  it('are refused where the token is coarser than the amount', () => {
    expect(minorToUnits(100n, 6, 8)).toBe(1n);
    expect(minorToUnits(101n, 6, 8)).toBeNull();
  });
});

describe('amounts', () => {
  it('are ordered exactly where JavaScript numbers would be equal', () => {
    expect([2n ** 53n, 1n, 2n ** 53n + 1n, 2n ** 53n].toSorted(largestFirst)).toEqual([
      2n ** 53n + 1n,
      2n ** 53n,
      2n ** 53n,
      1n,
    ]);
  });
});

describe('toJsonInteger', () => {
  it('[A-2] caps a figure beside an exact one, and never rounds', () => {
    expect(cappedJsonInteger(2n ** 53n - 2n)).toBe(Number.MAX_SAFE_INTEGER - 1);
    expect(cappedJsonInteger(10n ** 17n)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('[A-2] throws rather than let JSON round', () => {
    expect(toJsonInteger(2n ** 53n - 1n)).toBe(Number.MAX_SAFE_INTEGER);
    expect(() => toJsonInteger(2n ** 53n)).toThrow(RangeError);
  });
});

import * as fc from 'fast-check';
import { DomainError } from './errors.js';
import { formatUnits } from './money.js';
import { parsePrice, quoteOf, receivedValueOf, requiredUnits } from './quote.js';

const amount = fc.bigInt({ min: 1n, max: 10n ** 12n });
const decimals = fc.constantFrom(6, 8, 9, 18);
const price = fc.bigInt({ min: 1n, max: 10n ** 30n - 1n }).map((scaled) => formatUnits(scaled, 18));
const terms = fc.record({ amountCents: amount, price, decimals });

/** The price as an exact fraction, read in another way than the code does: all digits over a power of ten. */
function rational(text: string): { over: bigint; under: bigint } {
  const point = text.indexOf('.');
  return { over: BigInt(text.replace('.', '')), under: point < 0 ? 1n : 10n ** BigInt(text.length - point - 1) };
}

/** True when so many units, at this price, are worth at least so many cents: both sides multiplied out, nothing divided. */
function isWorth(units: bigint, cents: bigint, quoted: { price: string; decimals: number }): boolean {
  const { over, under } = rational(quoted.price);
  return units * over * 100n >= cents * under * 10n ** BigInt(quoted.decimals);
}

describe('quoteOf', () => {
  it.each([
    [2_500n, '1', 6, 25_000_000n, '25', 100n],
    [2_500n, '1.0000', 18, 25n * 10n ** 18n, '25', 100n],
    [1_000n, '0.9998', 6, 10_002_001n, '10.002001', 100n],
    [100n, '3000', 18, 333_333_333_333_334n, '0.000333333333333334', 300_000n],
    [2_500n, '3000', 18, 8_333_333_333_333_334n, '0.008333333333333334', 300_000n],
    [2_500n, '600', 18, 41_666_666_666_666_667n, '0.041666666666666667', 60_000n],
    [2_500n, '0.5', 18, 50n * 10n ** 18n, '50', 50n],
    [2_501n, '0.123456789012345678', 18, 202_581_001_823_229_018_071n, '202.581001823229018071', 12n],
    [1n, '3000', 18, 3_333_333_333_334n, '0.000003333333333334', 300_000n],
    [1n, '3000', 8, 334n, '0.00000334', 300_000n],
    [1n, '100000', 0, 1n, '1', 10_000_000n],
    [100n, '0.5', 18, 2n * 10n ** 18n, '2', 50n],
    [100n, '0.004999999999999999', 6, 200_000_001n, '200.000001', 0n],
    [100n, '0.005', 6, 200_000_000n, '200', 1n],
    [10n ** 12n, '150.12345678', 9, 66_611_842_109_755_075n, '66611842.109755075', 15_012n],
  ])('[spec 4.2] [E-60] asks for %s cents at %s with %i decimals', (amountCents, at, digits, units, decimal, cents) => {
    expect(quoteOf({ amountCents, price: at, decimals: digits })).toEqual({
      cryptoAmount: units,
      cryptoAmountDecimal: decimal,
      tokenPriceCents: cents,
    });
  });

  it('[E-59] [A-2] asks for enough, and never for a unit too much', () => {
    fc.assert(
      fc.property(terms, (quoted) => {
        const { cryptoAmount } = quoteOf(quoted);
        expect(isWorth(cryptoAmount, quoted.amountCents, quoted)).toBe(true);
        expect(isWorth(cryptoAmount - 1n, quoted.amountCents, quoted)).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  it('[A-2] rounds the shown price half up to a JSON integer', () => {
    fc.assert(
      fc.property(terms, (quoted) => {
        const { over, under } = rational(quoted.price);
        const shown = quoteOf(quoted).tokenPriceCents;
        expect(shown).toBe((over * 200n + under) / (2n * under));
        expect(Number.isSafeInteger(Number(shown))).toBe(true);
      }),
    );
  });

  it.each(['0', '0.0', '-1', '', 'NaN', 'Infinity', '1e3', '1000000000000', '0.0000000000000000001', ' 1', '1,5'])(
    '[E-58] rejects the price %j',
    (text) => {
      expect(parsePrice(text)).toBeNull();
      expect(() => quoteOf({ amountCents: 1n, price: text, decimals: 6 })).toThrow(DomainError);
      expect(() => quoteOf({ amountCents: 1n, price: text, decimals: 6 })).toThrow(
        expect.objectContaining({ code: 'price_unavailable' }),
      );
    },
  );

  it('refuses an amount below one cent', () => {
    expect(() => quoteOf({ amountCents: 0n, price: '1', decimals: 6 })).toThrow(RangeError);
  });
});

describe('receivedValueOf', () => {
  const quote = { amountCents: 1_000n, cryptoAmount: 10_002_001n };

  it.each([
    [0n, 0n, 0n],
    [10_002n, 0n, 0n],
    [10_003n, 1n, 0n],
    [10_002_000n, 999n, 0n],
    [10_002_001n, 1_000n, 0n],
    [10_002_002n, 1_000n, 0n],
    [20_004_002n, 1_000n, 1_000n],
  ])('[E-53] values %s units at %s cents and %s on top', (received, receivedCents, overpaidCents) => {
    expect(receivedValueOf(received, quote)).toEqual({ receivedCents, overpaidCents });
  });

  it('[E-53] [E-59] the quoted amount is worth the whole amount, a unit less is not', () => {
    fc.assert(
      fc.property(terms, (quoted) => {
        const { cryptoAmount } = quoteOf(quoted);
        const locked = { amountCents: quoted.amountCents, cryptoAmount };
        expect(receivedValueOf(cryptoAmount, locked)).toEqual({ receivedCents: quoted.amountCents, overpaidCents: 0n });
        expect(receivedValueOf(cryptoAmount - 1n, locked).receivedCents < quoted.amountCents).toBe(true);
      }),
    );
  });

  it('[E-53] [A-2] is never above the exact value, neither by the quote nor at the price, and less than a cent below it', () => {
    fc.assert(
      fc.property(terms, fc.bigInt({ min: 0n, max: 3n * 10n ** 6n }), (quoted, share) => {
        const { cryptoAmount } = quoteOf(quoted);
        const received = (cryptoAmount * share) / 10n ** 6n;
        const value = receivedValueOf(received, { amountCents: quoted.amountCents, cryptoAmount });
        const cents = value.receivedCents + value.overpaidCents;
        expect(cents * cryptoAmount <= received * quoted.amountCents).toBe(true);
        expect((cents + 1n) * cryptoAmount > received * quoted.amountCents).toBe(true);
        expect(isWorth(received, cents, quoted)).toBe(true);
        expect(value.receivedCents <= quoted.amountCents).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('[E-53] counts part payments by their sum, so that splitting a payment costs no cent', () => {
    const parts = [3_334_000n, 3_334_000n, 3_334_001n];
    const sum = parts.reduce((total, part) => total + part, 0n);
    expect(receivedValueOf(sum, quote)).toEqual({ receivedCents: 1_000n, overpaidCents: 0n });
  });

  it('[E-53] keeps an absurd overpayment a JSON integer', () => {
    const { receivedCents, overpaidCents } = receivedValueOf(2n ** 256n - 1n, quote);
    expect(receivedCents).toBe(1_000n);
    expect(overpaidCents).toBe(2n ** 53n - 1n);
  });
});

describe('requiredUnits', () => {
  it.each([
    [1_000_000n, 0, 1_000_000n],
    [1_000_000n, 50, 995_000n],
    [1_000_001n, 50, 995_001n],
    [1n, 9_999, 1n],
    [3n, 5_000, 2n],
  ])('[E-59] of %s units and %i basis points requires %s', (cryptoAmount, bps, expected) => {
    expect(requiredUnits(cryptoAmount, bps)).toBe(expected);
  });

  it('[E-59] forgives at most the tolerance, and never the whole amount', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 40n }), fc.nat(9_999), (cryptoAmount, bps) => {
        const required = requiredUnits(cryptoAmount, bps);
        expect(required >= 1n && required <= cryptoAmount).toBe(true);
        expect((cryptoAmount - required) * 10_000n <= cryptoAmount * BigInt(bps)).toBe(true);
      }),
    );
  });

  it.each([-1, 10_000, 0.5, NaN])('refuses a tolerance of %s', (bps) => {
    expect(() => requiredUnits(1n, bps)).toThrow(RangeError);
  });
});

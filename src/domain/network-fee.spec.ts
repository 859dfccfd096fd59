import * as fc from 'fast-check';
import { EVM_NETWORKS } from './network.js';
import { expectedFee, type GasPrices, gasFees, gasPricesOf, replacementFeesOf, tokenFeeOf } from './network-fee.js';
import { FEE_STRATEGIES } from './outgoing-payment.js';

const GWEI = 10n ** 9n;
const CAP = { ethereum: 300n * GWEI, polygon: 5_000n * GWEI, bnb: 20n * GWEI } as const;
const TIP_MAX = { ethereum: 20n * GWEI, polygon: 1_000n * GWEI, bnb: 10n * GWEI } as const;
const TIP_MIN = { ethereum: GWEI / 100n, polygon: 30n * GWEI, bnb: GWEI / 20n } as const;

const network = fc.constantFrom(...EVM_NETWORKS);
const strategy = fc.constantFrom(...FEE_STRATEGIES);
const wei = fc.oneof(fc.bigInt(0n, 10n ** 13n), fc.bigInt(0n, 2n ** 256n - 1n));
/** Prices as `gasPricesOf` returns them. */
const somewhere = fc
  .record({ network, nextBaseFee: wei, tips: fc.array(fc.record({ median: wei, high: wei }), { maxLength: 20 }) })
  .map(({ network: place, ...history }) => ({ place, prices: gasPricesOf(place, history) }));
const price = fc
  .tuple(fc.bigInt(0n, 10n ** 6n), fc.bigInt(1n, 10n ** 9n - 1n))
  .map(([dollars, nanos]) => `${dollars}.${nanos.toString().padStart(9, '0')}`);
const nanosOf = (text: string): bigint => BigInt(text.replace('.', ''));

describe('gas prices', () => {
  it('are the median of the tips of the last blocks', () => {
    const tips = [1n, 90n, 3n].map((n) => ({ median: n * GWEI, high: 2n * n * GWEI }));
    const prices = { baseFee: 7n, tipStandard: 3n * GWEI, tipFast: 6n * GWEI };
    expect(gasPricesOf('ethereum', { nextBaseFee: 7n, tips })).toEqual(prices);
  });

  it.each(EVM_NETWORKS)('are never zero on an idle %s, with or without blocks', (place) => {
    const idle = { baseFee: 7n, tipStandard: TIP_MIN[place], tipFast: TIP_MIN[place] };
    expect(gasPricesOf(place, { nextBaseFee: 7n, tips: [{ median: 0n, high: 0n }] })).toEqual(idle);
    expect(gasPricesOf(place, { nextBaseFee: 7n, tips: [] })).toEqual(idle);
  });

  it.each(EVM_NETWORKS)('never have a tip above the cap of %s, whatever a node reports [I-122]', (place) => {
    const tips = [{ median: 10n ** 15n, high: 10n ** 16n }];
    const { tipStandard, tipFast } = gasPricesOf(place, { nextBaseFee: 7n, tips });
    expect([tipStandard, tipFast]).toEqual([TIP_MAX[place], TIP_MAX[place]]);
    // The signed fees are capped again, whatever the stored prices are.
    const absurd = { baseFee: 7n, tipStandard: 10n ** 15n, tipFast: 10n ** 16n };
    for (const how of FEE_STRATEGIES) expect(gasFees(place, absurd, how)?.maxPriorityFeePerGas).toBe(TIP_MAX[place]);
  });

  it('never offer less for fast than for standard', () => {
    fc.assert(fc.property(somewhere, ({ prices }) => prices.tipFast >= prices.tipStandard));
  });
});

describe('the fee fields to sign', () => {
  it('leave room for the base fee to double, and tip by the strategy', () => {
    const prices = { baseFee: 10n * GWEI, tipStandard: GWEI, tipFast: 3n * GWEI };
    expect(gasFees('ethereum', prices, 'standard')).toEqual({ maxFeePerGas: 21n * GWEI, maxPriorityFeePerGas: GWEI });
    expect(gasFees('ethereum', prices, 'fast')).toEqual({ maxFeePerGas: 23n * GWEI, maxPriorityFeePerGas: 3n * GWEI });
  });

  it('[I-122] never exceed the cap, always pay the base fee and a tip the network takes, or are not signed at all', () => {
    fc.assert(
      fc.property(somewhere, strategy, ({ place, prices }, how) => {
        const fees = gasFees(place, prices, how);
        if (fees === null) {
          expect(prices.baseFee + TIP_MIN[place]).toBeGreaterThan(CAP[place]);
          return;
        }
        expect(fees.maxFeePerGas).toBeLessThanOrEqual(CAP[place]);
        expect(fees.maxPriorityFeePerGas).toBeLessThanOrEqual(fees.maxFeePerGas);
        expect(fees.maxPriorityFeePerGas).toBeGreaterThanOrEqual(TIP_MIN[place]);
        expect(fees.maxFeePerGas).toBeGreaterThanOrEqual(prices.baseFee + TIP_MIN[place]);
      }),
    );
  });

  it('[I-114] of a replacement are both at least 12.5 % above the last ones and what is asked for now, within the cap', () => {
    fc.assert(
      fc.property(somewhere, somewhere, strategy, (then, now, how) => {
        const last = gasFees(then.place, then.prices, how);
        fc.pre(last !== null);
        const fees = replacementFeesOf(then.place, now.prices, how, last);
        if (fees === null) return;
        expect(fees.maxFeePerGas * 1_000n).toBeGreaterThanOrEqual(last.maxFeePerGas * 1_125n);
        expect(fees.maxPriorityFeePerGas * 1_000n).toBeGreaterThanOrEqual(last.maxPriorityFeePerGas * 1_125n);
        expect(fees.maxPriorityFeePerGas).toBeLessThanOrEqual(fees.maxFeePerGas);
        expect(fees.maxFeePerGas).toBeLessThanOrEqual(CAP[then.place]);
        expect(fees.maxFeePerGas).toBeGreaterThanOrEqual(gasFees(then.place, now.prices, how)?.maxFeePerGas ?? 0n);
      }),
    );
  });

  it('[I-114] of a replacement are none when 15 % more is beyond the cap', () => {
    const prices = { baseFee: 5n * GWEI, tipStandard: GWEI, tipFast: GWEI };
    const raised = replacementFeesOf('bnb', prices, 'standard', {
      maxFeePerGas: 17n * GWEI,
      maxPriorityFeePerGas: GWEI,
    });
    expect(raised).toEqual({ maxFeePerGas: 19_550_000_000n, maxPriorityFeePerGas: 1_150_000_000n });
    const last = { maxFeePerGas: 18n * GWEI, maxPriorityFeePerGas: GWEI };
    expect(replacementFeesOf('bnb', prices, 'standard', last)).toBeNull();
    const dear = { ...prices, baseFee: 20n * GWEI };
    expect(replacementFeesOf('bnb', dear, 'standard', { maxFeePerGas: GWEI, maxPriorityFeePerGas: GWEI })).toBeNull();
  });
});

describe('the expected fee', () => {
  it.each([
    ['a token', false, 65_000n * 15n * GWEI],
    ['the coin', true, 30_000n * 15n * GWEI],
  ])('of %s is its gas at a base fee that may rise by a quarter', (_what, isCoin, fee) => {
    const prices = { baseFee: 10n * GWEI, tipStandard: (25n * GWEI) / 10n, tipFast: 5n * GWEI };
    expect(expectedFee('ethereum', prices, { strategy: 'standard', isCoin })).toBe(fee);
  });

  it('grows with each gas price, is never nothing, and never beyond the cap', () => {
    fc.assert(
      fc.property(somewhere, wei, wei, strategy, fc.boolean(), ({ place, prices }, base, tip, how, isCoin) => {
        const higher: GasPrices = {
          baseFee: prices.baseFee + base,
          tipStandard: prices.tipStandard + tip,
          tipFast: prices.tipFast + tip,
        };
        const [low, high] = [prices, higher].map((at) => expectedFee(place, at, { strategy: how, isCoin }));
        expect(low).toBeGreaterThan(0n);
        expect(high).toBeGreaterThanOrEqual(low ?? 0n);
        expect(high).toBeLessThanOrEqual(CAP[place] * (isCoin ? 30_000n : 65_000n));
      }),
    );
  });
});

describe('a fee said in a token', () => {
  const gwei65000 = 65_000n * GWEI;

  it.each([
    // 65,000 gas at 1 gwei are 0.000065 ETH; at 3,000 USD that is 19.5 cents.
    ['USDC, rounded up', 6, 2, { coin: '3000', token: '1' }, { minorUnits: 20n, units: 200_000n }],
    ['USDC with 18 decimals', 18, 2, { coin: '3000', token: '1' }, { minorUnits: 20n, units: 2n * 10n ** 17n }],
    ['a token worth less than a dollar', 6, 2, { coin: '3000', token: '0.975' }, { minorUnits: 20n, units: 200_000n }],
    ['a cent at least', 6, 2, { coin: '0.4', token: '1' }, { minorUnits: 1n, units: 10_000n }],
    ['the coin itself, without any price', 18, 8, null, { minorUnits: 6_500n, units: gwei65000 }],
    [
      'a token with fewer decimals than minor units',
      6,
      8,
      { coin: '0.1', token: '1' },
      { minorUnits: 700n, units: 7n },
    ],
  ])('is %s', (_what, decimals, minorUnitExponent, prices, fee) => {
    expect(tokenFeeOf({ fee: gwei65000, coinDecimals: 18, decimals, minorUnitExponent, prices })).toEqual(fee);
  });

  it('is never less than the exact value, less than a minor unit above it, and the same in both units', () => {
    const fees = fc.bigInt(1n, 10n ** 24n);
    // TRX, SOL and the coins of EVM networks.
    const coins = fc.constantFrom(6, 9, 18);
    fc.assert(
      fc.property(
        fees,
        coins,
        fc.nat(18),
        fc.nat(8),
        price,
        price,
        (fee, coinDecimals, decimals, exponent, coin, token) => {
          fc.pre(exponent <= decimals);
          const { minorUnits, units } = tokenFeeOf({
            fee,
            coinDecimals,
            decimals,
            minorUnitExponent: exponent,
            prices: { coin, token },
          });
          // minorUnits / 10^exponent >= fee / 10^coinDecimals * coin / token, in whole numbers.
          const exact = fee * nanosOf(coin) * 10n ** BigInt(exponent);
          const scale = 10n ** BigInt(coinDecimals) * nanosOf(token);
          expect(minorUnits).toBeGreaterThanOrEqual(1n);
          expect(minorUnits * scale).toBeGreaterThanOrEqual(exact);
          expect((minorUnits - 1n) * scale).toBeLessThan(exact);
          expect(units).toBe(minorUnits * 10n ** BigInt(decimals - exponent));
        },
      ),
    );
  });

  it('is none without prices that are prices', () => {
    for (const prices of [
      { coin: '0', token: '1' },
      { coin: '1', token: '1e3' },
    ]) {
      expect(() => tokenFeeOf({ fee: 1n, coinDecimals: 18, decimals: 6, minorUnitExponent: 2, prices })).toThrow(
        expect.objectContaining({ code: 'price_unavailable' }),
      );
    }
  });
});

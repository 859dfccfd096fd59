import { firstWithin, sweepGasLimit } from './sweep-gas.js';
import { SWEEP_ITEMS_MAX } from './sweep-plan.js';

describe('the gas limit of a sweep', () => {
  it.each([
    [{ items: 1, tokens: 1, authorizations: 0 }, 141_000n],
    [{ items: 1, tokens: 1, authorizations: 1 }, 166_000n],
    [{ items: 50, tokens: 1, authorizations: 0 }, 2_101_000n],
    [{ items: 50, tokens: 3, authorizations: 50 }, 3_411_000n],
    [{ items: SWEEP_ITEMS_MAX, tokens: 10, authorizations: SWEEP_ITEMS_MAX }, 16_621_000n],
  ])('of %o is %i', (size, limit) => {
    expect(sweepGasLimit(size)).toBe(limit);
  });

  it('never exceeds the limit of one transaction', () => {
    const size = { items: 255, tokens: 2, authorizations: 255 };
    expect(sweepGasLimit(size)).toBeLessThanOrEqual(2n ** 24n);
    expect(() => sweepGasLimit({ ...size, items: 257, authorizations: 257 })).toThrow(RangeError);
  });
});

describe('of many items a sweep takes as many as', () => {
  const ofTokens = (items: number, tokens: number) =>
    Array.from({ length: items }, (_, n) => ({ token: `0x${n % tokens}` }));

  it.each([
    { has: 165_999n, takes: 0 },
    { has: 166_000n, takes: 1 },
    { has: 71_000n + 30_000n + 3n * 65_000n, takes: 3 },
    { has: 2n ** 60n, takes: SWEEP_ITEMS_MAX },
  ])('the gas pays for that the wallet has: $takes of $has', ({ has, takes }) => {
    expect(firstWithin(ofTokens(SWEEP_ITEMS_MAX, 1), has)).toHaveLength(takes);
  });

  it('one transaction may use, however many tokens they are of', () => {
    const taken = firstWithin(ofTokens(SWEEP_ITEMS_MAX, 40), 2n ** 60n);
    expect(taken.length).toBeLessThan(SWEEP_ITEMS_MAX);
    const size = { items: taken.length, tokens: 40, authorizations: taken.length };
    expect(sweepGasLimit(size)).toBeLessThanOrEqual(2n ** 24n);
    expect(() => sweepGasLimit({ ...size, items: SWEEP_ITEMS_MAX, authorizations: SWEEP_ITEMS_MAX })).toThrow(
      RangeError,
    );
  });
});

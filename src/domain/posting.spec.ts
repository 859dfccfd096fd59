import * as fc from 'fast-check';
import { type Leg, assertBalanced, assetOf, contentHashOf } from './posting.js';

const usdc = assetOf('polygon', '0xABC');
const usdt = assetOf('polygon', '0xdef');

describe('assertBalanced', () => {
  it('accepts legs that sum to zero per asset', () => {
    expect(() =>
      assertBalanced([
        { accountId: 1, asset: usdc, amount: -5n },
        { accountId: 2, asset: usdc, amount: 5n },
        { accountId: 3, asset: usdt, amount: 7n },
        { accountId: 4, asset: usdt, amount: -7n },
      ]),
    ).not.toThrow();
  });

  it.each<[string, Leg[]]>([
    ['a sum above zero', [leg(1, 5n), leg(2, -4n)]],
    ['one leg only', [leg(1, 5n)]],
    ['no legs', []],
    ['a leg of zero', [leg(1, 0n), leg(2, 0n)]],
    ['the same account twice', [leg(1, 5n), leg(1, -5n)]],
  ])('[H-100] refuses %s', (_case, legs) => {
    expect(() => assertBalanced(legs)).toThrow();
  });

  it('[H-103] refuses two assets that would balance only if they were one', () => {
    expect(() => assertBalanced([leg(1, 5n), { accountId: 2, asset: usdt, amount: -5n }])).toThrow(/unexplained/);
  });

  it('[H-105] adds amounts beyond 2^63 exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 255n }), (amount) => {
        expect(() => assertBalanced([leg(1, amount), leg(2, -amount)])).not.toThrow();
        expect(() => assertBalanced([leg(1, amount + 1n), leg(2, -amount)])).toThrow();
      }),
    );
  });
});

describe('contentHashOf', () => {
  it('does not depend on the order of the legs, but on everything they say', () => {
    const legs = [leg(1, 5n), leg(2, -5n)];
    const hash = contentHashOf({ reference: 'deposit:dep_1', kind: 'deposit', legs });
    expect(contentHashOf({ reference: 'deposit:dep_1', kind: 'deposit', legs: legs.toReversed() })).toBe(hash);
    expect(contentHashOf({ reference: 'deposit:dep_2', kind: 'deposit', legs })).not.toBe(hash);
    expect(contentHashOf({ reference: 'deposit:dep_1', kind: 'deposit', legs: [leg(1, 6n), leg(2, -6n)] })).not.toBe(
      hash,
    );
  });
});

describe('assetOf', () => {
  it('keeps the same contract on two networks apart, and folds the case of EVM contracts', () => {
    expect(assetOf('polygon', '0xABC')).toBe('polygon:0xabc');
    expect(assetOf('ethereum', '0xabc')).not.toBe(assetOf('polygon', '0xabc'));
  });
});

function leg(accountId: number, amount: bigint): Leg {
  return { accountId, asset: usdc, amount };
}

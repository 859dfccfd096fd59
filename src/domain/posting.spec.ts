import * as fc from 'fast-check';
import { type Leg, type Transfer, assertBalanced, assetOf, contentHashOf, transfer } from './posting.js';

const usdc = assetOf('polygon', '0xabc');
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

describe('transfer', () => {
  const moves = (from: number, to: number, amount: bigint, asset = usdc): Transfer => ({ from, to, asset, amount });

  it.each<[what: string, transfers: Transfer[], legs: Leg[]]>([
    ['takes the amount out of one account and puts it into the other', [moves(1, 2, 5n)], [leg(1, -5n), leg(2, 5n)]],
    [
      'adds up what several transfers take out of one account',
      [moves(1, 2, 5n), moves(1, 3, 2n)],
      [leg(1, -7n), leg(2, 5n), leg(3, 2n)],
    ],
    [
      'adds up what several transfers put into one account',
      [moves(1, 3, 5n), moves(2, 3, 2n)],
      [leg(1, -5n), leg(3, 7n), leg(2, -2n)],
    ],
    [
      'keeps the transfers of two assets apart',
      [moves(1, 2, 5n), moves(3, 4, 7n, usdt)],
      [leg(1, -5n), leg(2, 5n), { accountId: 3, asset: usdt, amount: -7n }, { accountId: 4, asset: usdt, amount: 7n }],
    ],
    ['has no legs without transfers', [], []],
  ])('%s', (_what, transfers, legs) => {
    expect(transfer(...transfers)).toEqual(legs);
  });

  it.each<[what: string, transfers: Transfer[], error: string]>([
    ['zero', [moves(1, 2, 0n)], 'A transfer moves an amount above zero, not 0 of polygon:0xabc.'],
    ['a negative amount', [moves(1, 2, -5n)], 'A transfer moves an amount above zero, not -5 of polygon:0xabc.'],
    [
      'an account that pays itself',
      [moves(1, 1, 5n)],
      'A transfer moves funds between two accounts, not from 1 to itself.',
    ],
    ['a bad one among good ones', [moves(1, 2, 5n), moves(2, 3, 0n)], 'A transfer moves an amount above zero'],
    [
      'one account in two assets',
      [moves(1, 2, 5n), moves(3, 2, 5n, usdt)],
      'Account 2 holds polygon:0xabc, not polygon:0xdef.',
    ],
  ])('refuses %s', (_what, transfers, error) => {
    expect(() => transfer(...transfers)).toThrow(error);
  });

  it('balances every asset for any transfers', () => {
    const one = fc
      .record({
        from: fc.integer({ min: 1, max: 4 }),
        to: fc.integer({ min: 1, max: 4 }),
        isUsdt: fc.boolean(),
        amount: fc.bigInt({ min: 1n, max: 2n ** 255n }),
      })
      .filter(({ from, to }) => from !== to)
      .map(({ from, to, isUsdt, amount }): Transfer => {
        // An account holds one asset: even ones USDC, odd ones USDT.
        const account = (n: number): number => n * 2 + Number(isUsdt);
        return { from: account(from), to: account(to), asset: isUsdt ? usdt : usdc, amount };
      });
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 8 }), (transfers) => {
        const legs = transfer(...transfers);
        for (const asset of [usdc, usdt]) {
          const amounts = legs.filter((each) => each.asset === asset).map(({ amount }) => amount);
          expect(amounts.reduce((sum, amount) => sum + amount, 0n)).toBe(0n);
        }
        for (const { accountId, amount } of legs) {
          const into = transfers.filter(({ to }) => to === accountId).map((each) => each.amount);
          const outOf = transfers.filter(({ from }) => from === accountId).map((each) => -each.amount);
          expect([...into, ...outOf].reduce((sum, each) => sum + each, 0n)).toBe(amount);
        }
        if (legs.every(({ amount }) => amount !== 0n)) expect(() => assertBalanced(legs)).not.toThrow();
      }),
    );
  });

  it('makes an entry with the same hash as hand-written legs, in any order', () => {
    const entry = { reference: 'withdrawal:wd_1:paid', kind: 'withdrawal_paid' };
    const byHand = [leg(9, 100n), leg(7, -103n), leg(4, 3n)];
    expect(contentHashOf({ ...entry, legs: transfer(moves(7, 9, 100n), moves(7, 4, 3n)) })).toBe(
      contentHashOf({ ...entry, legs: byHand }),
    );
    // Sealed entries contain this hash: it must not change.
    expect(contentHashOf({ ...entry, legs: byHand })).toBe(
      '5046ef45629e6b13d0a7984989f401f3f73aff22eabcdd77ea87e65dd5f90668',
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
  it('keeps the same contract on two networks apart, and contracts whose letters differ in case', () => {
    expect(assetOf('ethereum', '0xabc')).not.toBe(assetOf('polygon', '0xabc'));
    expect(assetOf('solana', 'Es9vMFrz')).not.toBe(assetOf('solana', 'es9vmfrz'));
  });
});

function leg(accountId: number, amount: bigint): Leg {
  return { accountId, asset: usdc, amount };
}

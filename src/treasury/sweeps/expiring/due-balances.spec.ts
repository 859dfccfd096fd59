import { NATIVE_COIN } from '../../../domain/network.js';
import { coveringMoves, type DueBalance, worthMoving } from './due-balances.js';

const balance = (addressKey: string, traits: Partial<DueBalance> = {}): DueBalance => ({
  account: null,
  addressId: addressKey,
  addressKey,
  token: 'USDC',
  units: 100n,
  value: 1_000n,
  isOpen: false,
  isSettled: true,
  isQuiet: true,
  failures: 0,
  ...traits,
});
const keysOf = (balances: readonly DueBalance[]) => balances.map(({ addressKey, token }) => `${addressKey} ${token}`);

describe('balances that are worth a sweep', () => {
  const terms = { cost: 10n, shareBps: 100, room: null };

  it('are those of addresses that hold enough in all tokens together, the most valuable first', () => {
    const found = worthMoving(
      [
        balance('a', { value: 999n }),
        balance('b', { value: 500n }),
        balance('b', { token: 'USDT', value: 500n }),
        balance('c', { value: 2_000n }),
        balance('d', { value: null }),
      ],
      terms,
    );
    expect(keysOf(found)).toEqual(['c USDC', 'b USDC', 'b USDT']);
  });

  it('are not those of open intents, of intents that ended just now, or coins of which more arrive', () => {
    const coins = { token: NATIVE_COIN, isQuiet: false };
    const found = worthMoving(
      [
        balance('a', { isOpen: true }),
        balance('b', { isSettled: false }),
        balance('c', coins),
        balance('d', { isQuiet: false }),
      ],
      terms,
    );
    expect(keysOf(found)).toEqual(['d USDC']);
  });

  it('fit into the room of the hot wallet', () => {
    const found = worthMoving([balance('a', { value: 5_000n }), balance('b'), balance('c', { value: 1_001n })], {
      ...terms,
      room: 2_000n,
    });
    expect(keysOf(found)).toEqual(['c USDC']);
    expect(worthMoving([balance('a')], { ...terms, room: -1n })).toEqual([]);
  });
});

describe('balances that withdrawals need', () => {
  it('are the largest of the needed token until they suffice, those of open intents last', () => {
    const held = [
      balance('a', { units: 300n, isOpen: true }),
      balance('b', { units: 50n }),
      balance('c', { units: 100n, isSettled: false }),
      balance('d', { token: 'USDT' }),
    ];
    expect(keysOf(coveringMoves(held, new Map([['USDC', 90n]]), 10n))).toEqual(['c USDC']);
    expect(keysOf(coveringMoves(held, new Map([['USDC', 151n]]), 10n))).toEqual(['c USDC', 'b USDC', 'a USDC']);
    expect(coveringMoves(held, new Map([['USDC', 0n]]), 10n)).toEqual([]);
  });

  it('are worth their cost, or cover the need alone when they have no price', () => {
    const held = [balance('a', { value: 9n }), balance('b', { value: null }), balance('c', { units: 20n, value: 10n })];
    expect(keysOf(coveringMoves(held, new Map([['USDC', 100n]]), 10n))).toEqual(['b USDC']);
    expect(keysOf(coveringMoves(held, new Map([['USDC', 101n]]), 10n))).toEqual(['c USDC']);
  });

  it('are coins that pay for their own sweep', () => {
    const coins = { token: NATIVE_COIN, units: 100n, value: 100n };
    const held = [balance('a', coins), balance('b', coins), balance('c', { ...coins, isQuiet: false })];
    expect(keysOf(coveringMoves(held, new Map([[NATIVE_COIN, 95n]]), 10n))).toHaveLength(2);
  });
});

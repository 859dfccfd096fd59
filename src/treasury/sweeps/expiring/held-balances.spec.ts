import type { SweepSource } from '../../../chains/expiring-sweeps.js';
import { NATIVE_COIN } from '../../../domain/network.js';
import type { DueBalance } from './due-balances.js';
import { batchesOf, type HeldBalance, heldBalance } from './held-balances.js';

const LEAST = 650_240n;
const due: DueBalance = {
  account: null,
  addressId: '1',
  addressKey: 'a',
  token: 'USDC',
  units: 100n,
  value: 1n,
  isOpen: false,
  isSettled: true,
  isQuiet: true,
  failures: 0,
};
const held = (units: bigint, isFrozenByIssuer = false) => ({ units, hasAccount: true, isFrozenByIssuer });

describe('a balance on the chain', () => {
  it('closes its account when nothing stays there and nothing more is expected', () => {
    expect(heldBalance(due, held(100n), LEAST)).toEqual({ ...due, closesAccount: true });
    const other = { ...due, account: 'b' };
    expect(heldBalance(other, held(100n), LEAST)).toEqual({ ...other, closesAccount: true });
    expect(heldBalance(other, { ...held(100n), obstacle: 'delegated' }, LEAST)).toBe('unsweepable');
    expect(heldBalance(due, held(101n), LEAST)).toMatchObject({ closesAccount: false });
    expect(heldBalance({ ...due, isSettled: false }, held(100n), LEAST)).toMatchObject({ closesAccount: false });
    expect(heldBalance({ ...due, isQuiet: false }, held(100n), LEAST)).toMatchObject({ closesAccount: false });
  });

  it('cannot be swept when it is frozen, or the chain holds less', () => {
    expect(heldBalance(due, held(100n, true), LEAST)).toBe('unsweepable');
    expect(heldBalance(due, held(99n), LEAST)).toBe('unsweepable');
  });

  it('of coins leaves nothing, or what an address may hold', () => {
    const coins = { ...due, token: NATIVE_COIN };
    expect(heldBalance(coins, held(100n), LEAST)).toEqual({ ...coins, closesAccount: false });
    expect(heldBalance(coins, held(100n + LEAST), LEAST)).toEqual({ ...coins, closesAccount: false });
    expect(heldBalance(coins, held(99n + LEAST), LEAST)).toBe('waits');
    expect(heldBalance(coins, held(101n), LEAST)).toBe('waits');
  });
});

describe('the transactions of a sweep', () => {
  const balance = (addressKey: string, token: string, failures = 0): HeldBalance => {
    return { ...due, addressKey, token, failures, closesAccount: false };
  };
  const twoFit = (sources: readonly SweepSource[]) => ({ sources: sources.slice(0, 2) });
  const shown = (balances: readonly HeldBalance[]) =>
    batchesOf(balances, twoFit).map((batch) => batch.map(({ addressKey, token }) => `${addressKey} ${token}`));

  it('take as many addresses as fit, each with all of its tokens', () => {
    const balances = [balance('a', 'USDC'), balance('b', 'USDC'), balance('a', 'USDT'), balance('c', 'USDC')];
    expect(shown(balances)).toEqual([['a USDC', 'a USDT', 'b USDC'], ['c USDC']]);
    expect(shown([])).toEqual([]);
  });

  it('take an address alone after a failure, and a balance alone after another one', () => {
    const failed = [balance('a', 'USDC', 1), balance('b', 'USDC', 1), balance('a', 'USDT', 1), balance('c', 'USDC')];
    expect(shown(failed)).toEqual([['c USDC'], ['a USDC', 'a USDT'], ['b USDC']]);
    expect(shown([balance('a', 'USDC', 2), balance('a', 'USDT', 2)])).toEqual([['a USDC'], ['a USDT']]);
  });
});

import { partsOf } from './balance-parts.js';
import type { CreditedBalance } from './credited-balances.sql.js';
import type { DueBalance } from './due-balances.js';

const balance: DueBalance = {
  account: null,
  addressId: '1',
  addressKey: 'a',
  token: 'USDC',
  units: 100n,
  value: 50n,
  isOpen: false,
  isSettled: true,
  isQuiet: true,
  failures: 0,
};
const beside = (account: string, units: bigint, change: Partial<CreditedBalance> = {}): CreditedBalance => ({
  account,
  addressId: '1',
  token: 'USDC',
  owner: 'a',
  units: String(units),
  failures: 0,
  isSweepable: true,
  ...change,
});

describe('the part of a balance that the next sweep takes', () => {
  it('is all of it where the address has no other account of the token', () => {
    expect(partsOf([balance], [beside('b', 9n, { addressId: '2' }), beside('c', 9n, { token: 'USDT' })])[0]).toBe(
      balance,
    );
  });

  it('is what the fullest account holds, with its share of the value', () => {
    expect(partsOf([balance], [beside('b', 60n)])[0]).toEqual({ ...balance, account: 'b', units: 60n, value: 30n });
    expect(partsOf([balance], [beside('b', 33n)])[0]).toEqual({ ...balance, units: 67n, value: 33n });
    expect(partsOf([{ ...balance, value: null }], [beside('b', 60n)])[0]).toMatchObject({ account: 'b', value: null });
  });

  it('is of the account that failed least often, with its own failures', () => {
    const failed = { ...balance, failures: 2 };
    expect(partsOf([failed], [beside('b', 33n)])[0]).toMatchObject({ account: 'b', units: 33n, failures: 0 });
    expect(partsOf([failed], [beside('b', 33n, { failures: 2 })])[0]).toMatchObject({ account: null, failures: 2 });
    expect(partsOf([balance], [beside('b', 60n, { failures: 1 })])[0]).toMatchObject({ account: null, failures: 0 });
  });

  it('is never of an account that cannot be swept, whose funds count for no other one', () => {
    const blocked = beside('b', 60n, { isSweepable: false });
    expect(partsOf([balance], [blocked])[0]).toMatchObject({ account: null, units: 40n, value: 20n });
    expect(partsOf([balance], [blocked, beside('c', 40n)])[0]).toMatchObject({ account: 'c', units: 40n });
    expect(partsOf([balance], [{ ...blocked, units: '100' }])).toEqual([]);
  });
});

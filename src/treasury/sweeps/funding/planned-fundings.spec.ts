import { NATIVE_COIN } from '../../../domain/network.js';
import type { DueBalance } from '../expiring/due-balances.js';
import { type FundedPlace, fundedSweep, oneByAddress } from './planned-fundings.js';

const funds = (units: bigint, isFrozenByIssuer = false) => ({ units, hasAccount: true, isFrozenByIssuer });
const usdt = { token: 'usdt', units: 100n };
const coin = { token: NATIVE_COIN, units: 100n };

const place = (traits: Partial<FundedPlace> = {}): FundedPlace => ({
  held: funds(100n),
  coins: funds(0n),
  cost: { most: 30n, now: 20n, lent: null },
  usable: 0n,
  ...traits,
});

describe('a sweep that its address pays for', () => {
  it.each<[what: string, item: typeof usdt, found: FundedPlace, sweep: ReturnType<typeof fundedSweep>]>([
    ['is funded with what it costs at most', usdt, place(), { amount: 100n, costMax: 30n, funding: 30n, loan: 0n }],
    [
      'is funded with what the address lacks',
      usdt,
      place({ coins: funds(12n), usable: 12n }),
      { amount: 100n, costMax: 30n, funding: 18n, loan: 0n },
    ],
    [
      'needs no funding where the address has enough',
      usdt,
      place({ coins: funds(31n), usable: 31n }),
      { amount: 100n, costMax: 30n, funding: 0n, loan: 0n },
    ],
    [
      'does not pay with coins that the books do not have yet',
      usdt,
      place({ coins: funds(31n), usable: 1n }),
      { amount: 100n, costMax: 30n, funding: 29n, loan: 0n },
    ],
    [
      'does not pay with coins that the chain does not have',
      usdt,
      place({ coins: funds(1n), usable: 31n }),
      { amount: 100n, costMax: 30n, funding: 29n, loan: 0n },
    ],
    [
      'is funded in full where the books have less than nothing',
      usdt,
      place({ coins: funds(5n), usable: -5n }),
      { amount: 100n, costMax: 30n, funding: 30n, loan: 0n },
    ],
    [
      'takes what the books have where the address holds more',
      usdt,
      place({ held: funds(101n) }),
      { amount: 100n, costMax: 30n, funding: 30n, loan: 0n },
    ],
    ['is none where the address holds less', usdt, place({ held: funds(99n) }), 'unsweepable'],
    ['is none where the issuer has frozen it', usdt, place({ held: funds(100n, true) }), 'unsweepable'],
    ['is none where it would fail', usdt, place({ cost: null }), 'unsweepable'],
    ['of coins leaves what it costs', coin, place(), { amount: 80n, costMax: 30n, funding: 0n, loan: 0n }],
    [
      'of coins takes everything where it is free',
      coin,
      place({ cost: { most: 30n, now: 0n, lent: null } }),
      { amount: 100n, costMax: 30n, funding: 0n, loan: 0n },
    ],
    [
      'of coins waits where they are worth no more than it costs',
      coin,
      place({ cost: { most: 150n, now: 100n, lent: null } }),
      'waits',
    ],
  ])('%s', (_what, item, found, sweep) => {
    expect(fundedSweep(item, found, 10n ** 9n)).toEqual(sweep);
  });
});

describe('a sweep whose energy can be lent', () => {
  const lent = { stake: 8_000n, coins: 1n, most: 60n };
  const borrowing = (traits: Partial<FundedPlace> = {}) => place({ cost: { most: 30n, now: 20n, lent }, ...traits });

  it.each<[what: string, found: FundedPlace, lendable: bigint, sweep: ReturnType<typeof fundedSweep>]>([
    [
      'borrows it, and is funded with a sun',
      borrowing(),
      8_000n,
      { amount: 100n, costMax: 60n, funding: 1n, loan: 8_000n },
    ],
    [
      'needs no funding where the address is active',
      borrowing({ coins: funds(1n), usable: 1n }),
      8_000n,
      { amount: 100n, costMax: 60n, funding: 0n, loan: 8_000n },
    ],
    ['burns where less is staked', borrowing(), 7_999n, { amount: 100n, costMax: 30n, funding: 30n, loan: 0n }],
    ['burns where nothing is left', borrowing(), -5n, { amount: 100n, costMax: 30n, funding: 30n, loan: 0n }],
    ['is none where the issuer has frozen it', borrowing({ held: funds(100n, true) }), 8_000n, 'unsweepable'],
  ])('%s', (_what, found, lendable, sweep) => {
    expect(fundedSweep(usdt, found, lendable)).toEqual(sweep);
  });

  it('of coins borrows nothing', () => {
    expect(fundedSweep(coin, borrowing(), 8_000n)).toMatchObject({ loan: 0n });
  });
});

describe('the balances that are swept at once', () => {
  const due = (addressId: string, token: string): DueBalance => ({
    account: null,
    addressId,
    addressKey: addressId,
    token,
    units: 1n,
    value: 1n,
    isOpen: false,
    isSettled: true,
    isQuiet: true,
    failures: 0,
  });

  it('are one of each address, tokens before the coin that pays for them, in their order', () => {
    const [a, b, c] = [due('1', NATIVE_COIN), due('2', NATIVE_COIN), due('1', 'usdt')];
    expect(oneByAddress([a, b, c, due('1', 'usdc')], 9)).toEqual([b, c]);
  });

  it.each([0, -1, 1])('are no more than %d', (limit) => {
    const balances = [due('1', 'usdt'), due('2', 'usdt')];
    expect(oneByAddress(balances, limit)).toEqual(balances.slice(0, Math.max(0, limit)));
  });
});

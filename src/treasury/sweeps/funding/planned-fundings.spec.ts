import { NATIVE_COIN } from '../../../domain/network.js';
import type { DueBalance } from '../expiring/due-balances.js';
import { type FundedPlace, fundedSweep, oneByAddress } from './planned-fundings.js';

const funds = (units: bigint, isFrozenByIssuer = false) => ({ units, hasAccount: true, isFrozenByIssuer });
const usdt = { token: 'usdt', units: 100n };
const coin = { token: NATIVE_COIN, units: 100n };

const place = (traits: Partial<FundedPlace> = {}): FundedPlace => ({
  held: funds(100n),
  coins: funds(0n),
  cost: { most: 30n, now: 20n },
  usable: 0n,
  ...traits,
});

describe('a sweep that its address pays for', () => {
  it.each<[what: string, item: typeof usdt, found: FundedPlace, sweep: ReturnType<typeof fundedSweep>]>([
    ['is funded with what it costs at most', usdt, place(), { amount: 100n, costMax: 30n, funding: 30n }],
    [
      'is funded with what the address lacks',
      usdt,
      place({ coins: funds(12n), usable: 12n }),
      { amount: 100n, costMax: 30n, funding: 18n },
    ],
    [
      'needs no funding where the address has enough',
      usdt,
      place({ coins: funds(31n), usable: 31n }),
      { amount: 100n, costMax: 30n, funding: 0n },
    ],
    [
      'does not pay with coins that the books do not have yet',
      usdt,
      place({ coins: funds(31n), usable: 1n }),
      { amount: 100n, costMax: 30n, funding: 29n },
    ],
    [
      'does not pay with coins that the chain does not have',
      usdt,
      place({ coins: funds(1n), usable: 31n }),
      { amount: 100n, costMax: 30n, funding: 29n },
    ],
    [
      'is funded in full where the books have less than nothing',
      usdt,
      place({ coins: funds(5n), usable: -5n }),
      { amount: 100n, costMax: 30n, funding: 30n },
    ],
    [
      'takes what the books have where the address holds more',
      usdt,
      place({ held: funds(101n) }),
      { amount: 100n, costMax: 30n, funding: 30n },
    ],
    ['is none where the address holds less', usdt, place({ held: funds(99n) }), 'unsweepable'],
    ['is none where the issuer has frozen it', usdt, place({ held: funds(100n, true) }), 'unsweepable'],
    ['is none where it would fail', usdt, place({ cost: null }), 'unsweepable'],
    ['of coins leaves what it costs', coin, place(), { amount: 80n, costMax: 30n, funding: 0n }],
    [
      'of coins takes everything where it is free',
      coin,
      place({ cost: { most: 30n, now: 0n } }),
      { amount: 100n, costMax: 30n, funding: 0n },
    ],
    [
      'of coins waits where they are worth no more than it costs',
      coin,
      place({ cost: { most: 150n, now: 100n } }),
      'waits',
    ],
  ])('%s', (_what, item, found, sweep) => {
    expect(fundedSweep(item, found)).toEqual(sweep);
  });
});

describe('the balances that are swept at once', () => {
  const due = (addressId: string, token: string): DueBalance => ({
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

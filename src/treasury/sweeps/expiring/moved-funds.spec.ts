import type { FinalTransaction } from '../../../chains/expiring.js';
import { NATIVE_COIN } from '../../../domain/network.js';
import { type MovedFunds, sweepEnd } from './moved-funds.js';

const TOKEN = 'mint';
const FEE = 15_000n;
const RENT = 1_488_440n;

const tokens = (owner: string, amount: bigint, accounts: Partial<MovedFunds> = {}): MovedFunds => ({
  owner,
  token: TOKEN,
  amount,
  opensAccount: false,
  closesAccount: false,
  ...accounts,
});
const coins = (owner: string, amount: bigint): MovedFunds => ({ ...tokens(owner, amount), token: NATIVE_COIN });

type Change = readonly [owner: string, token: string, units: bigint];
const final = (succeeded: boolean, ...changes: readonly Change[]): FinalTransaction => ({
  txHash: 'tx',
  blockHash: 'block',
  height: 7,
  succeeded,
  fee: FEE,
  changes: changes.map(([owner, token, units]) => ({ owner, token, units })),
});
const endOf = (funds: readonly MovedFunds[], transaction: FinalTransaction) =>
  sweepEnd({ hotWallet: 'hot', feePayer: 'hot', funds }, transaction);

const moved: readonly Change[] = [
  ['a', TOKEN, -5n],
  ['b', TOKEN, -6n],
  ['b', NATIVE_COIN, -700n],
  ['hot', TOKEN, 11n],
];
const funds = [tokens('a', 5n), tokens('b', 6n), coins('b', 700n)];

describe('a sweep in a final block', () => {
  it('costs its fee', () => {
    const transaction = final(true, ...moved, ['hot', NATIVE_COIN, 700n - FEE]);
    expect(endOf(funds, transaction)).toEqual({ succeeded: true, cost: FEE, returnedRent: 0n });
  });

  it('returns the rent of closed accounts beside it', () => {
    const closing = [tokens('a', 5n, { closesAccount: true }), ...funds.slice(1)];
    const transaction = final(true, ...moved, ['hot', NATIVE_COIN, 700n - FEE + RENT], ['account', NATIVE_COIN, -RENT]);
    expect(endOf(closing, transaction)).toEqual({ succeeded: true, cost: FEE, returnedRent: RENT });
  });

  it('costs the rent of opened accounts beyond the returned one', () => {
    const opening = [tokens('a', 5n, { opensAccount: true }), ...funds.slice(1)];
    const transaction = final(true, ...moved, ['hot', NATIVE_COIN, 700n - FEE - RENT]);
    expect(endOf(opening, transaction)).toEqual({ succeeded: true, cost: FEE + RENT, returnedRent: 0n });
  });

  it('that failed costs its fee alone', () => {
    const transaction = final(false, ['hot', NATIVE_COIN, -FEE]);
    expect(endOf(funds, transaction)).toEqual({ succeeded: false, cost: FEE, returnedRent: 0n });
  });

  const paid: Change = ['hot', NATIVE_COIN, 700n - FEE];
  it.each<[string, FinalTransaction]>([
    ['took less from an address', final(true, ['a', TOKEN, -4n], ...moved.slice(1), paid)],
    ['took coins of an address that gives none', final(true, ...moved, ['a', NATIVE_COIN, -1n], paid)],
    ['brought the hot wallet less', final(true, ...moved.slice(0, 3), ['hot', TOKEN, 10n], paid)],
    ['brought rent without closing an account', final(true, ...moved, ['hot', NATIVE_COIN, 701n - FEE])],
    ['cost more than its fee without opening one', final(true, ...moved, ['hot', NATIVE_COIN, 699n - FEE])],
    ['moved nothing', final(true, ['hot', NATIVE_COIN, -FEE])],
    ['failed and moved funds', final(false, ...moved, paid)],
  ])('proves nothing when its transaction %s', (_what, transaction) => {
    expect(endOf(funds, transaction)).toBeNull();
  });
});

describe('a sweep that its address pays for', () => {
  const own = (given: readonly MovedFunds[], transaction: FinalTransaction) =>
    sweepEnd({ hotWallet: 'hot', feePayer: 'a', funds: given }, transaction);

  it.each<[what: string, given: MovedFunds, transaction: FinalTransaction, end: ReturnType<typeof sweepEnd>]>([
    [
      'costs the address its fee beside its tokens',
      tokens('a', 5n),
      final(true, ['a', TOKEN, -5n], ['a', NATIVE_COIN, -FEE], ['hot', TOKEN, 5n]),
      { succeeded: true, cost: FEE, returnedRent: 0n },
    ],
    [
      'costs the address its fee beside its coins',
      coins('a', 700n),
      final(true, ['a', NATIVE_COIN, -700n - FEE], ['hot', NATIVE_COIN, 700n]),
      { succeeded: true, cost: FEE, returnedRent: 0n },
    ],
    [
      'costs the fee alone when it failed',
      tokens('a', 5n),
      final(false, ['a', NATIVE_COIN, -FEE]),
      { succeeded: false, cost: FEE, returnedRent: 0n },
    ],
    [
      'proves nothing when the address lost more coins than the fee',
      tokens('a', 5n),
      final(true, ['a', TOKEN, -5n], ['a', NATIVE_COIN, -FEE - 1n], ['hot', TOKEN, 5n]),
      null,
    ],
    [
      'proves nothing when the hot wallet lost coins',
      tokens('a', 5n),
      final(true, ['a', TOKEN, -5n], ['a', NATIVE_COIN, -FEE], ['hot', TOKEN, 5n], ['hot', NATIVE_COIN, -1n]),
      null,
    ],
  ])('%s', (_what, given, transaction, end) => {
    expect(own([given], transaction)).toEqual(end);
  });
});

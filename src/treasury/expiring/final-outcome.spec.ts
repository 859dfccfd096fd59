import type { BalanceChange, FinalTransaction } from '../../chains/expiring.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { outcomeOf } from './final-outcome.js';

const TOKEN = 'mint';
const coins = { sender: 'wallet', recipient: 'payee', token: NATIVE_COIN, amount: 700n };
const tokens = { ...coins, token: TOKEN };

const final = (succeeded: boolean, ...changes: readonly (readonly [string, string, bigint])[]): FinalTransaction => ({
  txHash: 'tx',
  blockHash: 'block',
  height: 7,
  succeeded,
  fee: 5n,
  changes: changes.map(([owner, token, units]): BalanceChange => ({ owner, token, units })),
});

describe('a payment in a final block', () => {
  it('of coins costs what left the wallet beside the amount', () => {
    const outcome = outcomeOf(coins, final(true, ['wallet', NATIVE_COIN, -705n], ['payee', NATIVE_COIN, 700n]));
    expect(outcome).toEqual({ succeeded: true, cost: 5n, short: null });
  });

  it('of tokens costs the fee and the rent of an opened account', () => {
    const paid = [
      ['wallet', TOKEN, -700n],
      ['payee', TOKEN, 700n],
      ['wallet', NATIVE_COIN, -2_005n],
    ] as const;
    expect(outcomeOf(tokens, final(true, ...paid))).toEqual({ succeeded: true, cost: 2_005n, short: null });
  });

  it('that failed costs the fee alone', () => {
    for (const payment of [coins, tokens]) {
      const outcome = outcomeOf(payment, final(false, ['wallet', NATIVE_COIN, -5n]));
      expect(outcome).toEqual({ succeeded: false, cost: 5n, short: null });
    }
  });

  it.each([699n, 1n])('of tokens of which %s units arrived has succeeded, and the issuer took the rest', (arrived) => {
    const changes = [
      ['wallet', TOKEN, -arrived],
      ['payee', TOKEN, arrived],
      ['wallet', TOKEN, arrived - 700n],
      ['issuer', TOKEN, 700n - arrived],
      ['wallet', NATIVE_COIN, -5n],
    ] as const;
    const short = { amount: 700n, arrived };
    expect(outcomeOf(tokens, final(true, ...changes))).toEqual({ succeeded: true, cost: 5n, short });
  });

  it.each<[string, FinalTransaction]>([
    ['paid the recipient nothing', final(true, ['wallet', TOKEN, -700n], ['wallet', NATIVE_COIN, -5n])],
    [
      'paid less and took less',
      final(true, ['wallet', TOKEN, -699n], ['payee', TOKEN, 699n], ['wallet', NATIVE_COIN, -5n]),
    ],
    [
      'took from the recipient',
      final(true, ['wallet', TOKEN, -700n], ['payee', TOKEN, -1n], ['wallet', NATIVE_COIN, -5n]),
    ],
    ['paid more', final(true, ['wallet', TOKEN, -700n], ['payee', TOKEN, 701n], ['wallet', NATIVE_COIN, -5n])],
    ['took more', final(true, ['wallet', TOKEN, -701n], ['payee', TOKEN, 700n], ['wallet', NATIVE_COIN, -5n])],
    [
      'left the wallet richer',
      final(true, ['wallet', TOKEN, -700n], ['payee', TOKEN, 700n], ['wallet', NATIVE_COIN, 5n]),
    ],
    ['failed and paid', final(false, ['wallet', TOKEN, -700n], ['payee', TOKEN, 700n], ['wallet', NATIVE_COIN, -5n])],
  ])('proves nothing when its transaction %s', (_what, transaction) => {
    expect(outcomeOf(tokens, transaction)).toBeNull();
  });

  it('of coins proves nothing when less arrived: no issuer takes a fee of them', () => {
    const changes = [
      ['wallet', NATIVE_COIN, -705n],
      ['payee', NATIVE_COIN, 699n],
    ] as const;
    expect(outcomeOf(coins, final(true, ...changes))).toBeNull();
  });
});

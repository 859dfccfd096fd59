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
    expect(outcome).toEqual({ succeeded: true, cost: 5n });
  });

  it('of tokens costs the fee and the rent of an opened account', () => {
    const paid = [
      ['wallet', TOKEN, -700n],
      ['payee', TOKEN, 700n],
      ['wallet', NATIVE_COIN, -2_005n],
    ] as const;
    expect(outcomeOf(tokens, final(true, ...paid))).toEqual({ succeeded: true, cost: 2_005n });
  });

  it('that failed costs the fee alone', () => {
    expect(outcomeOf(coins, final(false, ['wallet', NATIVE_COIN, -5n]))).toEqual({ succeeded: false, cost: 5n });
    expect(outcomeOf(tokens, final(false, ['wallet', NATIVE_COIN, -5n]))).toEqual({ succeeded: false, cost: 5n });
  });

  it.each<[string, FinalTransaction]>([
    ['paid the recipient nothing', final(true, ['wallet', TOKEN, -700n], ['wallet', NATIVE_COIN, -5n])],
    ['paid less', final(true, ['wallet', TOKEN, -700n], ['payee', TOKEN, 699n], ['wallet', NATIVE_COIN, -5n])],
    ['took more', final(true, ['wallet', TOKEN, -701n], ['payee', TOKEN, 700n], ['wallet', NATIVE_COIN, -5n])],
    [
      'left the wallet richer',
      final(true, ['wallet', TOKEN, -700n], ['payee', TOKEN, 700n], ['wallet', NATIVE_COIN, 5n]),
    ],
    ['failed and paid', final(false, ['wallet', TOKEN, -700n], ['payee', TOKEN, 700n], ['wallet', NATIVE_COIN, -5n])],
  ])('proves nothing when its transaction %s', (_what, transaction) => {
    expect(outcomeOf(tokens, transaction)).toBeNull();
  });
});

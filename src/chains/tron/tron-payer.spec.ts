import { HOT_ADDRESS, HOT_KEY } from '../../../test/support/tron-transactions.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import { signTronTransaction } from '../../vault/tron/tron-signing.js';
import type { ExpiringPayment, PaymentConditions, PlannedPayment } from '../expiring.js';
import { keyOfHash } from './tron-address.js';
import { TronPayer } from './tron-payer.js';
import type { UnsignedTronTransaction } from './unsigned-transaction.js';

const payer = new TronPayer();
const address = (fill: string): string => keyOfHash(fill.repeat(20));
const USDT = address('b2');
const UNKNOWN = address('b3');
const HEAD_TIME = 1_800_000_000_000;
const SOLID = `000000000012d687${'d4'.repeat(24)}`;

const at: PaymentConditions = {
  solidHeight: 1_234_567,
  solidHash: SOLID,
  headTime: HEAD_TIME,
  energyPrice: '100',
  bytePrice: '1000',
  activationFee: '1000000',
  newAccountFee: '100000',
  energy: { [USDT]: { held: '14650', fresh: '29650' } },
};
const payment: ExpiringPayment = {
  sender: HOT_ADDRESS,
  recipient: address('a1'),
  token: USDT,
  decimals: 6,
  amount: 25n,
};
const coins: ExpiringPayment = { ...payment, token: NATIVE_COIN, amount: 700_000n };
const idOf = ({ unsigned }: PlannedPayment<UnsignedTronTransaction>): string =>
  signTronTransaction([HOT_KEY], unsigned).txHash;

describe('the payer of tron', () => {
  it('plans a payment of a token, on the solid block and with room for a higher price', () => {
    expect(payer.plan(payment, 'standard', 7, at)).toEqual({
      unsigned: {
        family: 'tron',
        owner: HOT_ADDRESS,
        action: { kind: 'token', to: address('a1'), token: USDT, amount: 25n },
        refBlock: SOLID,
        expiration: HEAD_TIME + 90_000,
        timestamp: HEAD_TIME - 60_000 + 7,
        feeLimit: 2n * 29_650n * 100n,
      },
      fee: { limit: 2n * 29_650n, price: 100n },
      expiry: { after: { height: 1_234_567, hash: SOLID }, until: HEAD_TIME + 90_000 - 1 },
      // All of the energy, and its 360 bytes at twice their price.
      costMax: 2n * 29_650n * 100n + 2n * 360_000n,
    });
  });

  it('plans a payment of coins, which burns no energy', () => {
    const { unsigned, costMax, fee } = payer.plan(coins, 'fast', 3, at);
    expect(unsigned).toMatchObject({ action: { kind: 'coin', to: address('a1'), amount: 700_000n }, feeLimit: 0n });
    expect(fee).toEqual({ limit: 285n, price: 1_000n });
    expect(costMax).toBe(2n * (1_000_000n + 100_000n + 285_000n));
  });

  it('gives each of 60,000 equal payments another transaction', () => {
    const plans = Array.from({ length: 60_000 }, (_, sequence) => payer.plan(payment, 'standard', sequence, at));
    expect(new Set(plans.map(({ unsigned }) => unsigned.timestamp)).size).toBe(60_000);
    expect(new Set(plans.slice(0, 50).map(idOf)).size).toBe(50);
    expect(plans.every(({ unsigned }) => unsigned.timestamp < HEAD_TIME)).toBe(true);
    expect(idOf(payer.plan(payment, 'standard', 0, { ...at, headTime: HEAD_TIME + 3_000 }))).not.toBe(idOf(plans[0]!));
  });

  it('expects what is burned, and the dearer case while nothing is known of the destination', () => {
    const cost = (token: string, opensAccount: boolean | null) =>
      payer.expectedCost(token, 'standard', opensAccount, at);
    expect([cost(NATIVE_COIN, false), cost(NATIVE_COIN, true)]).toEqual([285_000n, 1_100_000n]);
    expect([cost(USDT, false), cost(USDT, true)]).toEqual([1_465_000n + 360_000n, 2_965_000n + 360_000n]);
    for (const token of [NATIVE_COIN, USDT]) expect(cost(token, null)).toBe(cost(token, true));
    expect(payer.leastCoin()).toBe(0n);
  });

  it('takes the highest energy of USDT for a token that no call could be tried with', () => {
    expect(payer.expectedCost(UNKNOWN, 'standard', false, at)).toBe(6_500_000n + 360_000n);
    expect(payer.plan({ ...payment, token: UNKNOWN }, 'standard', 0, at).unsigned.feeLimit).toBe(26_200_000n);
  });

  it('never burns more than the chain lets it', () => {
    const dear = { ...at, energyPrice: '1000000' };
    const { unsigned, costMax } = payer.plan(payment, 'standard', 0, dear);
    expect(unsigned.feeLimit).toBe(15_000_000_000n);
    expect(costMax).toBe(15_000_000_000n + 720_000n);
  });

  it.each<PaymentConditions>([{ ...at, energyPrice: '-1' }, { ...at, solidHeight: 1.5 }, { slot: 7 }])(
    'refuses conditions that are no ones of tron: %j',
    (conditions) => {
      expect(() => payer.plan(payment, 'standard', 0, conditions)).toThrow();
    },
  );

  describe('checks that the plan is that of the payment', () => {
    const planned = payer.plan(payment, 'standard', 0, at);
    const { unsigned, expiry } = planned;

    const complaint = (other: PlannedPayment<UnsignedTronTransaction>, of = payment): string | null => {
      try {
        payer.check(signTronTransaction([HOT_KEY], other.unsigned), other, of);
        return null;
      } catch (error) {
        if (error instanceof SignedMismatch) return error.field;
        throw error;
      }
    };

    it.each<[string | null, PlannedPayment<UnsignedTronTransaction>, ExpiringPayment]>([
      [null, planned, payment],
      ['owner', planned, { ...payment, sender: address('a4') }],
      ['action', planned, { ...payment, recipient: address('a4') }],
      ['action', planned, { ...payment, amount: 26n }],
      ['action', planned, { ...payment, token: address('a4') }],
      ['action', planned, coins],
      ['expiry', { ...planned, expiry: { ...expiry, until: expiry.until - 1 } }, payment],
      ['expiry', { ...planned, expiry: { ...expiry, after: { ...expiry.after, hash: 'd5'.repeat(32) } } }, payment],
      ['expiry', { ...planned, expiry: { ...expiry, after: { ...expiry.after, height: 1_300_103 } } }, payment],
      ['costMax', { ...planned, costMax: unsigned.feeLimit }, payment],
    ])('%s', (field, other, of) => {
      expect(complaint(other, of)).toBe(field);
    });

    it('and that the bytes are that of the plan', () => {
      const other = signTronTransaction([HOT_KEY], { ...unsigned, timestamp: unsigned.timestamp + 1 });
      expect(() => payer.check(other, planned, payment)).toThrow(new SignedMismatch('timestamp'));
    });
  });
});

import { base58 } from '@scure/base';
import { HOT_KEY } from '../../../test/support/solana-moves.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import { signMoves } from '../../vault/solana/solana-signing.js';
import type { ExpiringPayment, PaymentConditions, PlannedPayment } from '../expiring.js';
import type { UnsignedMoves } from './unsigned-moves.js';
import { SolanaPayer } from './solana-payer.js';

const payer = new SolanaPayer();
const address = (fill: number): string => base58.encode(Buffer.alloc(32, fill));
const USDC = address(1);

const RENT = 1_488_440n;
const at: PaymentConditions = {
  slot: 1_000,
  blockhash: address(9),
  lastValidBlockHeight: 1_090,
  priceStandard: '50000',
  priceFast: '300000',
  lamportsPerSignature: '5000',
  rentOfTokenAccount: String(RENT),
  rentOfWallet: '650240',
};
const payment: ExpiringPayment = {
  sender: HOT_KEY.address,
  recipient: address(2),
  token: USDC,
  decimals: 6,
  amount: 25n,
};
const coins: ExpiringPayment = { ...payment, token: NATIVE_COIN, decimals: 9, amount: 700_000n };

const priceOf = (strategy: 'standard' | 'fast', change: PaymentConditions): bigint =>
  payer.plan(payment, strategy, 0, { ...at, ...change }).unsigned.computeUnitPrice;

describe('the payer of solana', () => {
  it('plans a payment of a token, and the account for it', () => {
    expect(payer.plan(payment, 'standard', 7, at)).toEqual({
      unsigned: {
        family: 'solana',
        payer: HOT_KEY.address,
        moves: [
          {
            kind: 'token',
            from: HOT_KEY.address,
            to: address(2),
            token: USDC,
            decimals: 6,
            amount: 25n,
            opensAccount: true,
          },
        ],
        blockhash: address(9),
        computeUnitLimit: 100_007,
        computeUnitPrice: 50_000n,
      },
      fee: { limit: 100_007n, price: 50_000n },
      expiry: { after: { height: 1_000, hash: address(9) }, until: 1_091 },
      // A signature, 100,007 units at 0.05 lamports, rounded up, and twice the rent of the account, which may rise.
      costMax: 5_000n + 5_001n + 2n * RENT,
    });
  });

  it('plans a payment of coins', () => {
    const { unsigned, costMax } = payer.plan(coins, 'fast', 3, at);
    expect(unsigned).toMatchObject({
      moves: [{ kind: 'coin', from: HOT_KEY.address, to: address(2), amount: 700_000n }],
      computeUnitLimit: 1_003,
      computeUnitPrice: 300_000n,
    });
    expect(costMax).toBe(5_000n + 301n);
  });

  it('gives each of 4,096 equal payments another transaction', () => {
    const plans = Array.from({ length: 4_096 }, (_, sequence) => payer.plan(payment, 'standard', sequence, at));
    expect(new Set(plans.map(({ unsigned }) => unsigned.computeUnitLimit)).size).toBe(4_096);
    expect(payer.plan(payment, 'standard', 4_096, at)).toEqual(plans[0]);
    const ids = plans.slice(0, 50).map(({ unsigned }) => signMoves([HOT_KEY], unsigned).txHash);
    expect(new Set(ids).size).toBe(50);
  });

  it('offers the price of the last blocks, within limits', () => {
    expect([priceOf('standard', {}), priceOf('fast', {})]).toEqual([50_000n, 300_000n]);
    const idle = { priceStandard: '0', priceFast: '0' };
    expect([priceOf('standard', idle), priceOf('fast', idle)]).toEqual([20_000n, 100_000n]);
    const mad = { priceStandard: '90000000', priceFast: '99999999999' };
    expect([priceOf('standard', mad), priceOf('fast', mad)]).toEqual([5_000_000n, 5_000_000n]);
  });

  it('expects the most that a plan costs, with the rent of today, unless there is an account', () => {
    for (const one of [payment, coins]) {
      const costs = Array.from({ length: 4_096 }, (_, n) => payer.plan(one, 'standard', n, at).costMax);
      const expected = payer.expectedCost(one.token, 'standard', null, at);
      const rent = one.token === NATIVE_COIN ? 0n : RENT;
      expect(costs.every((cost) => cost - rent <= expected)).toBe(true);
      expect(costs).toContain(expected + rent);
      expect(payer.expectedCost(one.token, 'standard', true, at)).toBe(expected);
      expect(payer.expectedCost(one.token, 'standard', false, at)).toBe(expected - rent);
    }
    expect(payer.leastCoin(at)).toBe(650_240n);
  });

  it.each<PaymentConditions>([{ ...at, priceFast: '-1' }, { ...at, slot: 1.5 }, { baseFee: '7' }])(
    'refuses conditions that are no ones of solana: %j',
    (conditions) => {
      expect(() => payer.plan(payment, 'standard', 0, conditions)).toThrow();
    },
  );

  describe('checks that the plan is that of the payment', () => {
    const planned = payer.plan(payment, 'standard', 0, at);
    const { unsigned, expiry, costMax } = planned;

    const complaint = (other: PlannedPayment<UnsignedMoves>, of = payment): string | null => {
      try {
        payer.check(signMoves([HOT_KEY], other.unsigned), other, of);
        return null;
      } catch (error) {
        if (error instanceof SignedMismatch) return error.field;
        throw error;
      }
    };
    const move = unsigned.moves[0]!;

    it.each<[string | null, PlannedPayment<UnsignedMoves>, ExpiringPayment]>([
      [null, planned, payment],
      ['payer', planned, { ...payment, sender: address(4) }],
      ['moves', planned, { ...payment, recipient: address(4) }],
      ['moves', planned, { ...payment, amount: 26n }],
      ['moves', planned, { ...payment, token: address(4) }],
      ['moves', planned, { ...payment, decimals: 7 }],
      ['moves', planned, coins],
      ['moves', { ...planned, unsigned: { ...unsigned, moves: [move, move] } }, payment],
      ['computeUnitLimit', { ...planned, unsigned: { ...unsigned, computeUnitLimit: 99_999 } }, payment],
      ['computeUnitLimit', { ...planned, unsigned: { ...unsigned, computeUnitLimit: 104_096 } }, payment],
      ['computeUnitPrice', { ...planned, unsigned: { ...unsigned, computeUnitPrice: 5_000_001n } }, payment],
      ['expiry', { ...planned, expiry: { ...expiry, after: { height: 1_000, hash: address(8) } } }, payment],
      ['costMax', { ...planned, costMax: costMax - 5_000n - 2n * RENT }, payment],
    ])('%s', (field, other, of) => {
      expect(complaint(other, of)).toBe(field);
    });

    it('and that the bytes are that of the plan', () => {
      const other = signMoves([HOT_KEY], { ...unsigned, computeUnitLimit: 100_001 });
      expect(() => payer.check(other, planned, payment)).toThrow(new SignedMismatch('computeUnitLimit'));
    });
  });
});

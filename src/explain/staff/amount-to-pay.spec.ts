import {
  addressless,
  at,
  CHAIN,
  type Change,
  ended,
  factsOf,
  payment,
  seen,
  USDC,
} from '../../../test/support/intent-facts.js';
import { INTENT_STATUSES, isTerminal } from '../../domain/intent-state.js';
import { amountToPay } from './amount-to-pay.js';

const TOLERANT = {
  address: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
  decimals: 6,
  cryptoAmount: 25n * USDC,
  toleranceBps: 100,
};

describe('what a payer still has to send', () => {
  it.each<[what: string, change: Change, units: bigint]>([
    ['before anything arrived', {}, 25n * USDC],
    ['after a part of it', { payments: [seen(10n * USDC, 1)] }, 15n * USDC],
    [
      'after more than a tolerance forgives is missing',
      { intent: { quote: TOLERANT }, payments: [payment(24n * USDC)] },
      USDC,
    ],
    ['after a reorg took a payment back', { payments: [payment(25n * USDC, { status: 'orphaned' })] }, 25n * USDC],
    ['after the operator kept a payment', { payments: [payment(25n * USDC, { status: 'kept' })] }, 25n * USDC],
    ['after dust of a listed sender', { payments: [payment(1n, { status: 'on_hold' })] }, 25n * USDC],
    ['in the last millisecond', { now: new Date(at(60).getTime() - 1) }, 25n * USDC],
    ['while its chain is read with a delay', { chain: { ...CHAIN, isBehind: true } }, 25n * USDC],
  ])('is what is missing %s', (_what, change, units) => {
    expect(amountToPay(factsOf(change))).toBe(units);
  });

  it.each<[what: string, change: Change]>([
    ['without an address', { intent: addressless }],
    ['from the deadline on', { now: at(60) }],
    ['once the full amount was seen', { payments: [seen(10n * USDC, 3), seen(15n * USDC, 1)] }],
    ['once the tolerance forgives the rest', { intent: { quote: TOLERANT }, payments: [seen(24_750_000n, 1)] }],
    ['while a payment is on hold', { payments: [payment(25n * USDC, { status: 'on_hold' })] }],
    ['while a part of it is on hold', { payments: [payment(10n * USDC, { status: 'on_hold' })] }],
    ['while its settlement is set aside', { quarantinedAt: at(1) }],
    ['while its chain is not read', { chain: null }],
    ['while its token is switched off', { chain: { ...CHAIN, offersToken: false } }],
    ...INTENT_STATUSES.filter(isTerminal).map((status): [string, Change] => [
      `once it is ${status}`,
      { intent: ended(status) },
    ]),
  ])('is nothing %s', (_what, change) => {
    expect(amountToPay(factsOf(change))).toBeNull();
  });
});

import type { VerdictCode } from '../../src/explain/verdict/intent-verdict-finding.js';
import { at, type Change, ended, payment, USDC } from './intent-facts.js';

/** A code, what it is about, the facts of it, and the sentence that says so. */
export type Situation = [code: VerdictCode, what: string, change: Change, sentence: RegExp];

/** Situations with money of listed senders. */
export const ON_HOLD_SITUATIONS: readonly Situation[] = [
  [
    'payment_on_hold',
    'a listed sender while it is open',
    { intent: { status: 'processing' }, payments: [payment(25n * USDC, { status: 'on_hold' })] },
    /^25 USDC came from a sender on the sanctions list and is on hold: it counts for nothing until the operator decides; time left: 50 minutes\.$/,
  ],
  [
    'payment_on_hold',
    'the deadline, with a decision that may pay it',
    {
      now: at(62),
      intent: { status: 'processing' },
      payments: [payment(10n * USDC), payment(15n * USDC, { status: 'on_hold' })],
    },
    /^15 USDC came .*: the deadline passed 2 minutes ago, and the intent waits for the operator's decision\.$/,
  ],
  [
    'payment_on_hold',
    'the deadline, with a decision about less than a cent that may pay it',
    {
      now: at(62),
      intent: { status: 'processing' },
      payments: [payment(25n * USDC - 3n), payment(3n, { status: 'on_hold' })],
    },
    /^0\.000003 USDC came .*: the deadline passed 2 minutes ago, and the intent waits for the operator's decision\.$/,
  ],
  [
    'payment_on_hold',
    'a listed sender beside what completed it',
    { intent: ended('completed'), payments: [payment(25n * USDC), payment(5n * USDC, { status: 'on_hold' })] },
    /^5 USDC came from .* and is on hold: it is in no pocket unless the operator releases it\.$/,
  ],
  [
    'payment_kept',
    'a listed sender, decided',
    { intent: { status: 'processing' }, payments: [payment(25n * USDC, { status: 'kept' })] },
    /^25 USDC came .*, and the operator keeps it: it counts for nothing and is in no pocket\.$/,
  ],
  [
    'failed_on_hold',
    'a listed sender at the deadline, kept',
    {
      intent: ended('failed', { failure: 'payment_on_hold' }),
      payments: [payment(1n, { status: 'kept' })],
    },
    /^The deadline passed, and what arrived in time came from a sender on the sanctions list: it did not pay the intent\.$/,
  ],
  [
    'paid_late',
    'a listed sender at the deadline, released since',
    {
      intent: ended('failed', { failure: 'payment_on_hold' }),
      payments: [payment(10n * USDC, { late: true, released: true })],
    },
    /^10 USDC had been on hold, was too late to count for this intent, and was released to your pocket\.$/,
  ],
  [
    'paid_late',
    'a listed sender, released since, and money that came after the end',
    {
      intent: ended('failed', { failure: 'payment_on_hold' }),
      payments: [payment(10n * USDC, { late: true, released: true }), payment(5n * USDC, { late: true })],
    },
    /^10 USDC had been on hold, .*, and was released to your pocket; 5 USDC arrived after this intent had ended; it is in your pocket\.$/,
  ],
  [
    'paid_late',
    'a listed sender after the deadline, released while the intent was open',
    {
      intent: ended('expired'),
      payments: [payment(10n * USDC, { late: true, released: true, blockTime: at(61), seenAt: at(61) })],
    },
    /^10 USDC had been on hold, was too late to count for this intent, and was released to your pocket\.$/,
  ],
  [
    'expired_unpaid',
    'dust on hold at the deadline',
    { intent: ended('expired'), payments: [payment(1n, { status: 'on_hold' })] },
    /^The deadline passed, and only dust arrived in time: 0\.000001 USDC from a sender on the sanctions list, which does not count\.$/,
  ],
  [
    'expired_unpaid',
    'dust at the deadline, and dust that is kept',
    {
      intent: ended('expired', { receivedUnits: 6_000n }),
      payments: [payment(6_000n), payment(6_000n, { status: 'kept' })],
    },
    /only dust arrived in time: 0\.006 USDC, worth less than 0\.01 USD; 0\.006 USDC from a sender on the .* not count\.$/,
  ],
  [
    'expired_unpaid',
    'money on hold that came after the deadline',
    { intent: ended('expired'), payments: [payment(1n, { status: 'on_hold', late: true })] },
    /and no payment that counts had arrived\.$/,
  ],
  [
    'payment_orphaned',
    'a payment on hold that the chain took back after it was final',
    { intent: ended('expired'), payments: [payment(25n * USDC, { status: 'orphaned' })] },
    /^25 USDC had been seen on polygon, and a reorganisation of the chain took it back\.$/,
  ],
];

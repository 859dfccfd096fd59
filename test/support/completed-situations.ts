import { at, COMPLETION, delivery, DISABLED, ended, payment, withDeliveries, USDC } from './intent-facts.js';
import type { Situation } from './on-hold-situations.js';

/** Situations of an intent whose money has arrived: its webhooks, and a payment that is not exact. */
export const COMPLETED_SITUATIONS: readonly Situation[] = [
  [
    'webhook_endpoint_disabled',
    'no delivery, because it was disabled before',
    withDeliveries([], { endpoints: [DISABLED] }),
    /^No endpoint received the completion of the intent; disabled: https:\/\/shop\.example\/hooks\.$/,
  ],
  [
    'webhook_not_acknowledged',
    'two refusals',
    withDeliveries([delivery()]),
    /attempt 2 of 6 was answered 500, and the next one follows in 2 minutes\.$/,
  ],
  [
    'webhook_not_acknowledged',
    'two endpoints without an answer',
    withDeliveries([delivery({ lastStatus: null, lastErrorCode: 'timeout', dueAt: at(9) }), delivery()]),
    /attempt 2 of 6 got no answer \(timeout\), and the next one is due\. The same applies to 1 more delivery\.$/,
  ],
  [
    'webhook_delayed',
    'a delivery without an attempt',
    withDeliveries([delivery({ attempts: 0, dueAt: at(5), lastStatus: null, lastAttemptAt: null })]),
    /^payment_intent\.completed has waited 5 minutes to be sent/,
  ],
  [
    'webhook_delayed',
    'an event without a number',
    withDeliveries([], { events: [{ ...COMPLETION, createdAt: at(7), isRelayed: false }] }),
    /^payment_intent\.completed has waited 3 minutes to be sent/,
  ],
  [
    'paid_again',
    'twice',
    { intent: ended('completed'), payments: [payment(25n * USDC), payment(25n * USDC, { late: true })] },
    /^25 USDC arrived beyond what completed the intent; it is in your pocket\.$/,
  ],
  [
    'overpaid',
    '30 of 25',
    { intent: ended('completed', { receivedUnits: 30n * USDC, overpaidCents: 500 }), payments: [payment(30n * USDC)] },
    /^30 USDC arrived where 25 USDC was asked for: 5\.00 USD too much\.$/,
  ],
  [
    'shortfall_accepted',
    'a cent short within the tolerance',
    { intent: ended('completed', { receivedUnits: 24_990_000n, acceptedShortfallCents: 1 }) },
    /^0\.01 USD too little arrived, which your tolerance/,
  ],
  [
    'paid_completed',
    'paid and acknowledged',
    withDeliveries([delivery({ status: 'delivered' })]),
    /^The intent is paid: 25 USDC arr/,
  ],
  ['no_webhook_endpoint', 'paid without a subscription', withDeliveries([]), /no endpoint asked for it at that time/],
];

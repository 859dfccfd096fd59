import fc from 'fast-check';
import {
  addressless,
  at,
  CHAIN,
  COMPLETION,
  delivery,
  DISABLED,
  ENDPOINT,
  ended,
  factsOf,
  payment,
  seen,
  unattributed,
  withDeliveries,
  type Change,
  USDC,
} from '../../../test/support/intent-facts.js';
import { SITUATIONS } from '../../../test/support/verdict-situations.js';
import { INTENT_FAILURES, INTENT_STATUSES, isTerminal, type PaymentState } from '../../domain/intent-state.js';
import { explainIntent } from './intent-verdict.js';
import type { IntentFacts } from './intent-verdict-facts.js';
import { VERDICT_CODES, type VerdictCode } from './intent-verdict-finding.js';
import { centsAtPrice } from './intent-verdict-unattributed.js';

const codesOf = (facts: IntentFacts): VerdictCode[] => explainIntent(facts).map(({ code }) => code);

describe('the verdict on a payment intent', () => {
  it('has a situation for every code', () => {
    expect(new Set(SITUATIONS.map(([code]) => code))).toEqual(new Set(VERDICT_CODES));
  });

  it.each(SITUATIONS)('says %s of %s, in plain words, and what to do', (code, _what, change, sentence) => {
    const findings = explainIntent(factsOf(change));
    const finding = findings.find((found) => found.code === code);
    expect(finding?.sentence).toMatch(sentence);
    expect(finding?.nextAction).toMatch(/^[A-Z].{15,}\.$/);
    // Other facts are less important, except where nothing is wrong.
    if (code !== 'no_webhook_endpoint') expect(findings[0].code).toBe(code);
  });

  it.each<[what: string, change: Change, codes: readonly VerdictCode[]]>([
    [
      'what keeps the facts from being true before what they say',
      { quarantinedAt: at(1), unattributed: [unattributed()], chain: { ...CHAIN, isHalted: true } },
      ['settlement_quarantined', 'paid_in_another_token', 'listener_halted', 'not_paid'],
    ],
    [
      'money that arrived elsewhere before the listener, and that before the payment',
      {
        unattributed: [unattributed(), unattributed({ reason: 'other_network', network: 'bnb' })],
        payments: [payment(10n * USDC), payment(15n * USDC, { status: 'orphaned' })],
        intent: { status: 'processing' },
        chain: { ...CHAIN, isBehind: true },
      },
      ['paid_in_another_token', 'paid_on_another_network', 'payment_orphaned', 'listener_behind', 'part_paid'],
    ],
    [
      'what keeps an address away before that it is missing',
      {
        intent: addressless,
        supply: { isPriced: false, hasFreeAddress: false },
        chain: { ...CHAIN, isBehind: true },
      },
      ['listener_behind', 'price_unavailable', 'no_wallets_available', 'awaiting_address'],
    ],
    [
      'the state of an open payment before undelivered webhooks',
      {
        intent: { status: 'processing' },
        payments: [seen(25n * USDC, 3)],
        deliveries: [delivery({ eventType: 'payment_intent.processing' })],
      },
      ['awaiting_confirmations', 'webhook_not_acknowledged'],
    ],
    [
      'the end of an unpaid intent before undelivered webhooks',
      {
        intent: ended('expired'),
        deliveries: [delivery({ eventType: 'payment_intent.expired', status: 'dead_letter', attempts: 6 })],
      },
      ['expired_unpaid', 'webhook_dead_lettered'],
    ],
    [
      'an undelivered completion before notable facts about it',
      {
        ...withDeliveries([delivery({ status: 'dead_letter' }), delivery({ endpoint: DISABLED }), delivery()]),
        payments: [payment(30n * USDC), payment(1n * USDC, { late: true })],
        intent: ended('completed', { receivedUnits: 30n * USDC, overpaidCents: 500 }),
      },
      [
        'webhook_dead_lettered',
        'webhook_endpoint_disabled',
        'webhook_not_acknowledged',
        'paid_again',
        'overpaid',
        'paid_completed',
      ],
    ],
  ])('puts %s', (_what, change, codes) => {
    expect(codesOf(factsOf(change))).toEqual(codes);
  });

  it.each<[what: string, change: Change, codes: readonly VerdictCode[]]>([
    ['dust of another token', { unattributed: [unattributed({ amount: 1n, valueCents: 0n })] }, ['not_paid']],
    ['another token that a reorg removed', { unattributed: [unattributed({ status: 'orphaned' })] }, ['not_paid']],
    ['late dust', { intent: ended('expired'), payments: [payment(1n, { late: true })] }, ['expired_unpaid']],
    [
      'a reorg once enough has come otherwise',
      {
        intent: { status: 'processing' },
        payments: [payment(25n * USDC, { status: 'orphaned' }), seen(25n * USDC, 3)],
      },
      ['awaiting_confirmations'],
    ],
    [
      'the listener of an intent that has ended and is final',
      { intent: ended('expired'), chain: { ...CHAIN, isBehind: true, isHalted: true, offersToken: false } },
      ['expired_unpaid'],
    ],
    [
      'what an address needs once it has ended',
      { intent: ended('expired', addressless), supply: { isPriced: false, hasFreeAddress: false } },
      ['expired_unpaid'],
    ],
    [
      'deliveries to an endpoint that was deleted',
      withDeliveries([delivery({ status: 'cancelled' })]),
      ['paid_completed', 'no_webhook_endpoint'],
    ],
    ['finality while there is nothing to be made final', { chain: { ...CHAIN, isFinalityHeldUp: true } }, ['not_paid']],
    ['a webhook on its way', withDeliveries([delivery({ attempts: 0, dueAt: at(10) })]), ['paid_completed']],
  ])('is silent about %s', (_what, change, codes) => {
    expect(codesOf(factsOf(change))).toEqual(codes);
  });

  it('values another token of unknown price as worth telling', () => {
    expect(codesOf(factsOf({ unattributed: [unattributed({ amount: 1n, valueCents: null })] }))[0]).toBe(
      'paid_in_another_token',
    );
  });

  it('exists for whatever facts there are, in the order of the codes and each code once', () => {
    const amount = fc.bigInt({ min: 0n, max: 60n * USDC }).map((units) => units + 1n);
    const transfer = fc.record({
      amount,
      status: fc.constantFrom<PaymentState>('seen', 'confirmed', 'orphaned', 'on_hold', 'kept'),
      confirmations: fc.nat(50),
      late: fc.boolean(),
    });
    const facts = fc.record({
      now: fc.integer({ min: 0, max: 120 }).map(at),
      status: fc.constantFrom(...INTENT_STATUSES),
      hasQuote: fc.boolean(),
      payments: fc.array(transfer, { maxLength: 4 }),
      unattributed: fc.array(
        fc.constantFrom(unattributed(), unattributed({ reason: 'other_network', network: 'bnb' })),
        { maxLength: 3 },
      ),
      chain: fc.option(
        fc.record({
          isBehind: fc.boolean(),
          isFinalityHeldUp: fc.boolean(),
          isHalted: fc.boolean(),
          pausedAt: fc.option(fc.constant(at(0))),
          offersToken: fc.boolean(),
          headHeight: fc.nat(300),
        }),
      ),
      quarantinedAt: fc.constantFrom(null, at(1)),
      supply: fc.option(fc.record({ isPriced: fc.boolean(), hasFreeAddress: fc.boolean() })),
      deliveries: fc.array(
        fc.record({
          status: fc.constantFrom(
            'pending' as const,
            'delivered' as const,
            'dead_letter' as const,
            'cancelled' as const,
          ),
          attempts: fc.nat(6),
          endpoint: fc.constantFrom(ENDPOINT, DISABLED),
        }),
        { maxLength: 3 },
      ),
    });
    fc.assert(
      fc.property(facts, ({ status, hasQuote, payments, chain, deliveries, ...rest }) => {
        const findings = explainIntent(
          factsOf({
            ...rest,
            intent: { status, ...(!hasQuote && addressless) },
            payments: hasQuote ? payments.map((change) => payment(change.amount, change)) : [],
            chain: chain === null ? null : { ...CHAIN, ...chain },
            deliveries: deliveries.map(delivery),
            events: status === 'completed' ? [COMPLETION] : [],
          }),
        );
        const ranks = findings.map(({ code }) => VERDICT_CODES.indexOf(code));
        expect(ranks).toEqual([...new Set(ranks)].toSorted((a, b) => a - b));
        for (const { sentence, nextAction } of findings) {
          expect(`${sentence} ${nextAction}`).not.toMatch(/undefined|null|NaN|\[object|-\d+ (USDC|block|second)/);
        }
        if (isTerminal(status)) expect(findings.map(({ code }) => code)).not.toContain('not_paid');
      }),
    );
  });
});

describe('an unacknowledged webhook', () => {
  it.each<[timeoutMs: number, text: string]>([
    [10_000, '10 seconds'],
    [1_000, '1 second'],
    [400, '0.4 seconds'],
  ])('is to be answered within the configured %d ms', (attemptTimeoutMs, text) => {
    const [{ nextAction }] = explainIntent(factsOf({ ...withDeliveries([delivery()]), attemptTimeoutMs }));
    expect(nextAction).toContain(`Let the endpoint answer 2xx within ${text}.`);
  });
});

describe('money of a listed sender', () => {
  it('is in no pocket, whatever became of the intent', () => {
    const onHold = fc.record({
      amount: fc.bigInt({ min: 1n, max: 60n * USDC }),
      status: fc.constantFrom<PaymentState>('on_hold', 'kept'),
      late: fc.boolean(),
    });
    const facts = fc.record({
      now: fc.integer({ min: 0, max: 120 }).map(at),
      status: fc.constantFrom(...INTENT_STATUSES),
      failure: fc.constantFrom(...INTENT_FAILURES),
      receivedUnits: fc.bigInt({ min: 1n, max: 60n * USDC }),
      overpaidCents: fc.nat(500),
      payments: fc.array(onHold, { minLength: 1, maxLength: 3 }),
    });
    fc.assert(
      fc.property(facts, ({ now, payments, ...intent }) => {
        const findings = explainIntent(
          factsOf({ now, intent, payments: payments.map((one) => payment(one.amount, one)) }),
        );
        for (const { sentence, nextAction } of findings) {
          if (intent.status === 'completed' && payments.every(({ late }) => late)) continue;
          expect(sentence).not.toMatch(/in your pocket/);
          expect(nextAction).not.toMatch(/(arrived|money|surplus) is (yours|in your pocket)/);
        }
      }),
    );
  });
});

describe('an intent that failed by money on hold', () => {
  const adviceOf = (status: PaymentState, released: boolean): string | undefined =>
    explainIntent(
      factsOf({
        intent: ended('failed', { failure: 'payment_on_hold' }),
        payments: [payment(10n * USDC, { status, released, late: released })],
      }),
    ).find(({ code }) => code === 'failed_on_hold')?.nextAction;

  it('speaks of a release until there is nothing left to release', () => {
    expect(adviceOf('on_hold', false)).toMatch(/If the operator releases the money/);
    expect(adviceOf('kept', false)).toMatch(/If the operator releases the money/);
    expect(adviceOf('confirmed', true)).toMatch(/another wallet\.$/);
  });
});

describe('the worth of another token', () => {
  it.each<[units: bigint, decimals: number, price: string | null, cents: bigint | null]>([
    [25n * USDC, 6, '1', 2500n],
    [1n, 6, '1', 0n],
    [10n ** 18n, 18, '3000.129', 300_012n],
    [10n ** 18n, 18, null, null],
    [10n ** 18n, 18, 'much', null],
  ])('of %d units with %d decimals at %s is %s cents', (units, decimals, price, cents) => {
    expect(centsAtPrice(units, decimals, price)).toBe(cents);
  });
});

import fc from 'fast-check';
import {
  assertAddressCanBeGenerated,
  type DepositFact,
  foldIntent,
  INTENT_STATUSES,
  INTENT_TRANSITIONS,
  type IntentOutcome,
  type IntentStatus,
  type IntentTerms,
  isInTime,
  isTerminal,
  type Moment,
  statusAfterConfirm,
  statusesBetween,
} from './intent-state.js';
import { requiredUnits } from './quote.js';

const START = Date.UTC(2026, 0, 1);
const at = (minutes: number): Date => new Date(START + minutes * 60_000);

/** 10.00 USD for 1,000 units, due at minute 60. */
const TERMS: IntentTerms = {
  status: 'processing',
  amountCents: 1000,
  cryptoAmount: 1000n,
  toleranceBps: 0,
  expiresAt: at(60),
};
const OPEN: Moment = { now: at(30), caughtUp: true };
const DUE: Moment = { now: at(61), caughtUp: true };

const paid = (amount: bigint, more: Partial<DepositFact> = {}): DepositFact => ({
  amount,
  status: 'confirmed',
  blockTime: at(10),
  seenAt: at(10),
  ...more,
});
const late = (amount: bigint, more: Partial<DepositFact> = {}): DepositFact =>
  paid(amount, { blockTime: at(61), seenAt: at(61), ...more });

const fold = (deposits: DepositFact[], moment: Moment = OPEN, terms: Partial<IntentTerms> = {}): IntentOutcome =>
  foldIntent({ ...TERMS, ...terms }, deposits, moment);

const OPEN_STATUSES = INTENT_STATUSES.filter((status) => !isTerminal(status));
const TERMINAL_STATUSES = INTENT_STATUSES.filter(isTerminal);

describe('the transitions of a payment intent', () => {
  it('are exactly those of the table [spec 3.1]', () => {
    expect(INTENT_TRANSITIONS).toEqual({
      created: ['requires_action', 'cancelled', 'expired'],
      requires_action: ['processing', 'cancelled', 'expired'],
      processing: ['completed', 'failed', 'expired'],
      completed: [],
      failed: [],
      cancelled: [],
      expired: [],
    });
  });

  it('end in completed, failed, cancelled and expired [spec 3.1]', () => {
    expect(TERMINAL_STATUSES).toEqual(['completed', 'failed', 'cancelled', 'expired']);
  });

  it.each<[from: IntentStatus, to: IntentStatus, between: IntentStatus[]]>([
    ['requires_action', 'requires_action', []],
    ['requires_action', 'processing', []],
    ['requires_action', 'expired', []],
    ['processing', 'completed', []],
    ['requires_action', 'completed', ['processing']],
    ['requires_action', 'failed', ['processing']],
  ])('lead from %s to %s through %j', (from, to, between) => {
    expect(statusesBetween(from, to)).toEqual(between);
  });

  it.each(TERMINAL_STATUSES)('lead nowhere from %s', (status) => {
    expect(() => statusesBetween(status, 'processing')).toThrow('cannot go from');
  });
});

describe('confirm', () => {
  it.each(OPEN_STATUSES)('changes %s to processing [E-56] [spec 4.3]', (status) => {
    expect(statusAfterConfirm(status)).toBe('processing');
  });

  it.each(TERMINAL_STATUSES)('is refused for %s [E-56]', (status) => {
    expect(() => statusAfterConfirm(status)).toThrow(expect.objectContaining({ code: 'invalid_state_transition' }));
  });
});

describe('an address', () => {
  it.each(OPEN_STATUSES)('is allowed in %s', (status) => {
    expect(() => assertAddressCanBeGenerated(status)).not.toThrow();
  });

  it.each(TERMINAL_STATUSES)('is refused in %s [spec 7]', (status) => {
    expect(() => assertAddressCanBeGenerated(status)).toThrow(
      expect.objectContaining({ code: 'invalid_state_transition' }),
    );
  });
});

describe('folding an intent that is not due', () => {
  it.each<[what: string, deposits: DepositFact[], outcome: Partial<IntentOutcome>]>([
    ['nothing', [], { status: 'processing', receivedUnits: 0n, receivedCents: 0 }],
    ['a part, final', [paid(400n)], { status: 'processing', receivedUnits: 400n, receivedCents: 400 }],
    ['one unit too little [E-53]', [paid(999n)], { status: 'processing', receivedCents: 999 }],
    ['parts that add up [E-53]', [paid(400n), paid(600n)], { status: 'completed', receivedCents: 1000 }],
    ['the full amount, seen', [paid(1000n, { status: 'seen' })], { status: 'processing', receivedCents: 1000 }],
    ['half final, half seen', [paid(500n), paid(500n, { status: 'seen' })], { status: 'processing' }],
    ['the full amount, final', [paid(1000n)], { status: 'completed', receivedCents: 1000, overpaidCents: 0 }],
    [
      'the full amount, final, and more that is seen: only what is final is frozen with it',
      [paid(1000n), paid(500n, { status: 'seen' })],
      { status: 'completed', receivedUnits: 1000n, receivedCents: 1000, overpaidCents: 0 },
    ],
    [
      'too much, final, and more that is seen',
      [paid(1500n), paid(700n, { status: 'seen' })],
      { status: 'completed', receivedUnits: 1500n, receivedCents: 1000, overpaidCents: 500 },
    ],
    ['too much [E-53]', [paid(1500n)], { status: 'completed', receivedCents: 1000, overpaidCents: 500 }],
    ['the amount twice [E-53]', [paid(1000n), paid(1000n)], { status: 'completed', overpaidCents: 1000 }],
    ['only what a reorg took back', [paid(1000n, { status: 'orphaned' })], { status: 'processing', receivedUnits: 0n }],
  ])('computes the outcome of %s', (_what, deposits, outcome) => {
    expect(fold(deposits)).toMatchObject({ failure: null, acceptedShortfallCents: 0, ...outcome });
  });

  it('moves requires_action to processing as soon as a payment is seen, without confirm [E-55] [spec 3.1]', () => {
    expect(fold([paid(1n, { status: 'seen' })], OPEN, { status: 'requires_action' }).status).toBe('processing');
  });

  it('leaves requires_action alone while nothing was paid', () => {
    expect(fold([], OPEN, { status: 'requires_action' }).status).toBe('requires_action');
  });

  it('never goes back from processing when a reorg takes everything away [spec 3.1]', () => {
    expect(fold([paid(1000n, { status: 'orphaned' })]).status).toBe('processing');
  });

  it('rounds what was received down to the cent', () => {
    expect(fold([paid(1000n)], OPEN, { cryptoAmount: 3000n })).toMatchObject({ receivedCents: 333 });
  });

  it('does not count a payment before there is a quote', () => {
    expect(fold([paid(5n)], OPEN, { cryptoAmount: null })).toMatchObject({ receivedUnits: 0n, receivedCents: 0 });
  });
});

describe('folding an intent that is due', () => {
  const inTime = paid(1000n);
  it.each<[what: string, deposits: DepositFact[], status: IntentStatus]>([
    ['nothing arrived [spec 3.1]', [], 'expired'],
    ['too little arrived [E-54] [spec 3.1]', [paid(999n)], 'failed'],
    ['too little arrived and is not final [E-54]', [paid(1n, { status: 'seen' })], 'failed'],
    ['all arrived in time and became final [E-51]', [inTime], 'completed'],
    ['all arrived in time and is not final [E-51]', [{ ...inTime, status: 'seen' }], 'processing'],
    ['all arrived in time and a reorg took it back', [{ ...inTime, status: 'orphaned' }], 'expired'],
    ['all arrived late [E-52]', [late(1000n)], 'expired'],
    ['the rest arrived late [E-52]', [paid(400n), late(600n)], 'failed'],
  ])('decides, when %s', (_what, deposits, status) => {
    expect(fold(deposits, DUE)).toMatchObject({ status, failure: status === 'failed' ? 'underpaid' : null });
  });

  it('decides at the very moment of the deadline', () => {
    expect(fold([], { now: at(60), caughtUp: true }).status).toBe('expired');
  });

  it.each<[deposits: DepositFact[], status: IntentStatus]>([
    [[], 'processing'],
    [[paid(400n)], 'processing'],
    [[paid(1000n)], 'completed'],
  ])('expires and fails nothing before the chain has been read up to the deadline [E-63]', (deposits, status) => {
    expect(fold(deposits, { now: at(600), caughtUp: false }).status).toBe(status);
  });

  it('expires requires_action, and an intent without an address, with nothing to catch up', () => {
    expect(fold([], DUE, { status: 'requires_action' }).status).toBe('expired');
    expect(fold([], { now: at(60), caughtUp: false }, { cryptoAmount: null }).status).toBe('expired');
  });
});

describe('the deadline of a payment', () => {
  it.each<[what: string, blockMinute: number, seenMinute: number, counts: boolean]>([
    ['the block and the sighting are in time', 59, 59, true],
    ['the block is made at the deadline [E-51]', 60, 75, true],
    ['we saw it in time and the block clock runs ahead', 63, 59, true],
    ['we saw it at the deadline', 63, 60, true],
    ['both are late [E-52]', 61, 61, false],
  ])('is met or not when %s [api]', (_what, blockMinute, seenMinute, counts) => {
    expect(isInTime(paid(1n, { blockTime: at(blockMinute), seenAt: at(seenMinute) }), TERMS.expiresAt)).toBe(counts);
  });
});

describe('an accepted shortfall', () => {
  it('completes with the full amount received, and reports the accepted shortfall [api]', () => {
    expect(fold([paid(990n)], OPEN, { toleranceBps: 100 })).toMatchObject({
      status: 'completed',
      receivedUnits: 990n,
      receivedCents: 1000,
      acceptedShortfallCents: 10,
    });
  });

  it('ends one unit below the tolerance [E-53]', () => {
    expect(fold([paid(989n)], DUE, { toleranceBps: 100 })).toMatchObject({
      status: 'failed',
      acceptedShortfallCents: 0,
    });
  });
});

describe('every fold', () => {
  const minute = fc.integer({ min: 0, max: 120 }).map(at);
  const deposit: fc.Arbitrary<DepositFact> = fc.record({
    amount: fc.bigInt({ min: 1n, max: 2000n }),
    status: fc.constantFrom('seen', 'confirmed', 'orphaned'),
    blockTime: minute,
    seenAt: minute,
  });
  const terms: fc.Arbitrary<IntentTerms> = fc.record({
    status: fc.constantFrom<IntentStatus>('requires_action', 'processing'),
    amountCents: fc.integer({ min: 1, max: 3000 }),
    cryptoAmount: fc.option(fc.bigInt({ min: 1n, max: 3000n })),
    toleranceBps: fc.integer({ min: 0, max: 1000 }),
    expiresAt: minute,
  });
  const moment: fc.Arbitrary<Moment> = fc.record({ now: minute, caughtUp: fc.boolean() });
  const deposits = fc.array(deposit, { maxLength: 6 });

  const holds = (
    check: (outcome: IntentOutcome, terms: IntentTerms, deposits: DepositFact[], m: Moment) => void,
  ): void =>
    fc.assert(
      fc.property(terms, deposits, moment, (t, d, m) => {
        check(foldIntent(t, d, m), t, d, m);
      }),
      { numRuns: 2000 },
    );

  it('moves only along the table [spec 3.1]', () => {
    holds((outcome, { status }) => {
      const way = [status, ...statusesBetween(status, outcome.status), outcome.status];
      const moves = way.slice(1).map((to, i) => [way[i] ?? to, to] as const);
      for (const [from, to] of moves) if (from !== to) expect(INTENT_TRANSITIONS[from]).toContain(to);
    });
  });

  it('does not depend on the order of the payments', () => {
    holds((outcome, t, d, m) => expect(foldIntent(t, d.toReversed(), m)).toEqual(outcome));
  });

  it('leaves out whatever a reorg took back or came late [E-52]', () => {
    holds((outcome, t, d, m) => {
      const counted = d.filter((one) => one.status !== 'orphaned' && isInTime(one, t.expiresAt));
      expect(foldIntent(t, counted, m)).toEqual(outcome);
    });
  });

  it('never shows more received than was asked for, and never a negative figure', () => {
    holds((outcome, t) => {
      expect(outcome.receivedCents).toBeLessThanOrEqual(t.amountCents);
      for (const figure of [outcome.receivedCents, outcome.overpaidCents, outcome.acceptedShortfallCents]) {
        expect(figure).toBeGreaterThanOrEqual(0);
      }
    });
  });

  it('completes exactly when enough arrived in time and is final [E-51]', () => {
    holds((outcome, t, d) => {
      const final = d
        .filter((one) => one.status === 'confirmed' && isInTime(one, t.expiresAt))
        .reduce((sum, one) => sum + one.amount, 0n);
      const enough = t.cryptoAmount !== null && final >= requiredUnits(t.cryptoAmount, t.toleranceBps);
      expect(outcome.status === 'completed').toBe(enough);
    });
  });

  it('ends nothing before its deadline but by completing it', () => {
    holds((outcome, t, _d, m) => {
      if (m.now < t.expiresAt) expect(['failed', 'expired']).not.toContain(outcome.status);
    });
  });

  it.each(TERMINAL_STATUSES)('refuses %s, which is terminal [E-57]', (status) => {
    expect(() => fold([], OPEN, { status })).toThrow('terminal');
  });
});

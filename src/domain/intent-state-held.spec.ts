import fc from 'fast-check';
import {
  type DepositFact,
  foldIntent,
  type IntentOutcome,
  type IntentStatus,
  type IntentTerms,
  isInTime,
  isPayment,
  isWorthACent,
  type Moment,
  type PaymentState,
} from './intent-state.js';
import { requiredUnits } from './quote.js';

const at = (minutes: number): Date => new Date(Date.UTC(2026, 0, 1) + minutes * 60_000);

/** 10.00 USD for 100,000 units, due at minute 60: a cent is 100 units. */
const TERMS: IntentTerms = {
  status: 'processing',
  amountCents: 1000,
  cryptoAmount: 100_000n,
  toleranceBps: 0,
  expiresAt: at(60),
};
const ALL = 100_000n;
const CENT = 100n;
const OPEN: Moment = { now: at(30), caughtUp: true };
const DUE: Moment = { now: at(61), caughtUp: true };
const BEHIND: Moment = { now: at(61), caughtUp: false };

const transfer = (status: PaymentState, amount: bigint, minute = 10): DepositFact => ({
  amount,
  status,
  blockTime: at(minute),
  seenAt: at(minute),
});
const seen = (amount: bigint, minute?: number): DepositFact => transfer('seen', amount, minute);
const clean = (amount: bigint, minute?: number): DepositFact => transfer('confirmed', amount, minute);
const onHold = (amount: bigint, minute?: number): DepositFact => transfer('on_hold', amount, minute);
const kept = (amount: bigint, minute?: number): DepositFact => transfer('kept', amount, minute);

type Row = [
  sentence: string,
  from: IntentStatus,
  deposits: readonly DepositFact[],
  moment: Moment,
  outcome: Partial<IntentOutcome>,
  terms?: Partial<IntentTerms>,
];

const expectRows = (rows: readonly Row[]): void => {
  it.each<Row>(rows)('%s', (_sentence, status, deposits, moment, outcome, terms = {}) => {
    expect(foldIntent({ ...TERMS, status, ...terms }, deposits, moment)).toMatchObject({
      failure: null,
      awaitsStaff: false,
      ...outcome,
    });
  });
};

const RA = 'requires_action';
const PR = 'processing';

describe('detection [api]', () => {
  expectRows([
    ['a cent seen on chain moves requires_action to processing', RA, [seen(CENT)], OPEN, { status: PR }],
    ['a cent that is final does too', RA, [clean(CENT)], OPEN, { status: PR }],
    ['a unit less than a cent leaves it', RA, [seen(CENT - 1n)], OPEN, { status: RA, receivedUnits: 99n }],
    ['dust adds up to a payment', RA, [seen(50n), clean(50n)], OPEN, { status: PR, receivedCents: 1 }],
    ['dust counts toward a larger sum', PR, [clean(1n), clean(ALL - 1n)], OPEN, { status: 'completed' }],
    ['what came late does not detect anything', RA, [seen(CENT, 61)], BEHIND, { status: RA }],
    ['nor does what a reorg took back', RA, [transfer('orphaned', ALL)], OPEN, { status: RA }],
    [
      'less than a cent is enough when it is enough to complete',
      RA,
      [seen(9n)],
      OPEN,
      { status: PR, receivedCents: 0 },
      { amountCents: 1, cryptoAmount: 10n, toleranceBps: 1000 },
    ],
    ['dust alone expires at the deadline', RA, [clean(99n)], DUE, { status: 'expired', receivedUnits: 99n }],
    ['also from processing', PR, [clean(99n)], DUE, { status: 'expired', receivedCents: 0 }],
    ['and not before the chain was read past it', PR, [clean(99n)], BEHIND, { status: PR }],
    ['a cent in time fails it', PR, [clean(CENT)], DUE, { status: 'failed', failure: 'underpaid' }],
    ['processing does not go back when a reorg leaves dust', PR, [clean(1n)], OPEN, { status: PR }],
  ]);
});

describe('money on hold [api]', () => {
  expectRows([
    ['moves requires_action to processing like any transfer', RA, [onHold(CENT)], OPEN, { status: PR }],
    ['counts in no amount', PR, [onHold(ALL)], OPEN, { status: PR, receivedUnits: 0n, overpaidCents: 0 }],
    ['counts like any before it is final', PR, [seen(ALL)], OPEN, { receivedCents: 1000 }],
    ['beside clean money adds nothing', PR, [clean(40_000n), onHold(ALL)], OPEN, { status: PR, receivedCents: 400 }],
    [
      'does not count toward the tolerance',
      PR,
      [clean(98_999n), onHold(1_001n)],
      OPEN,
      { status: PR, acceptedShortfallCents: 0 },
      { toleranceBps: 100 },
    ],
    [
      'leaves clean money to complete the intent at any time',
      PR,
      [onHold(ALL), clean(ALL)],
      OPEN,
      { status: 'completed', receivedUnits: ALL, overpaidCents: 0 },
    ],
    ['also past the deadline', PR, [onHold(ALL), clean(ALL)], DUE, { status: 'completed' }],
    [
      'with clean money reaches the amount past the deadline: the intent stays processing',
      PR,
      [clean(40_000n), onHold(60_000n)],
      DUE,
      { status: PR, receivedCents: 400, awaitsStaff: true },
    ],
    ['alone reaches it', PR, [onHold(ALL)], DUE, { status: PR, awaitsStaff: true }],
    [
      'reaches it within the tolerance, by which a release would complete',
      PR,
      [onHold(99_000n)],
      DUE,
      { status: PR, awaitsStaff: true },
      { toleranceBps: 100 },
    ],
    ['is waited for by time before the chain was read', PR, [onHold(ALL)], BEHIND, { status: PR, awaitsStaff: false }],
    [
      'is not waited for where clean money is enough but not final',
      PR,
      [seen(ALL), onHold(ALL)],
      DUE,
      { status: PR, awaitsStaff: false },
    ],
    [
      'that cannot make it up ends the intent at once, underpaid by clean money',
      PR,
      [clean(CENT), onHold(ALL - CENT - 1n)],
      DUE,
      { status: 'failed', failure: 'underpaid', receivedCents: 1 },
    ],
    [
      'that cannot make it up, without a cent of clean money, fails it as on hold',
      PR,
      [clean(99n), onHold(CENT)],
      DUE,
      { status: 'failed', failure: 'payment_on_hold', receivedCents: 0 },
    ],
    ['of less than a cent lets it expire', PR, [onHold(99n)], DUE, { status: 'expired' }],
    ['that came late is not waited for', PR, [onHold(ALL, 61)], DUE, { status: 'expired' }],
    [
      'that is released counts as of when it was seen',
      PR,
      [clean(ALL, 59)],
      { now: at(600), caughtUp: true },
      { status: 'completed' },
    ],
    [
      'that is kept leaves the intent payable until its deadline',
      PR,
      [kept(ALL)],
      OPEN,
      { status: PR, receivedUnits: 0n },
    ],
    ['that is kept is not waited for', PR, [kept(ALL)], DUE, { status: 'failed', failure: 'payment_on_hold' }],
    ['that is kept leaves clean money to pay', PR, [kept(ALL), clean(ALL)], OPEN, { status: 'completed' }],
    [
      'that is kept does not reach the amount with what is on hold',
      PR,
      [kept(1n), onHold(ALL - 1n)],
      DUE,
      { status: 'failed', failure: 'payment_on_hold' },
    ],
    [
      'in two parts of which one is released',
      PR,
      [clean(40_000n), onHold(60_000n)],
      OPEN,
      { status: PR, receivedCents: 400 },
    ],
    ['fails a requires_action too', RA, [onHold(CENT)], DUE, { status: 'failed', failure: 'payment_on_hold' }],
  ]);
});

describe('every fold with held money', () => {
  const minute = fc.integer({ min: 0, max: 120 }).map(at);
  const facts = (...states: PaymentState[]): fc.Arbitrary<DepositFact[]> =>
    fc.array(
      fc.record({
        amount: fc.oneof(fc.bigInt({ min: 1n, max: 120n }), fc.bigInt({ min: 1n, max: 3000n })),
        status: fc.constantFrom(...states),
        blockTime: minute,
        seenAt: minute,
      }),
      { maxLength: 5 },
    );
  const terms: fc.Arbitrary<IntentTerms & { readonly cryptoAmount: bigint }> = fc.record({
    status: fc.constantFrom<IntentStatus>('requires_action', 'processing'),
    amountCents: fc.integer({ min: 1, max: 30 }),
    cryptoAmount: fc.bigInt({ min: 1n, max: 3000n }),
    toleranceBps: fc.integer({ min: 0, max: 1000 }),
    expiresAt: minute,
  });
  const moment: fc.Arbitrary<Moment> = fc.record({ now: minute, caughtUp: fc.boolean() });
  const ANY = facts('seen', 'confirmed', 'orphaned', 'on_hold', 'kept');
  const CLEAN = facts('seen', 'confirmed', 'orphaned');
  const HELD = facts('on_hold', 'kept');

  const holds = <T>(
    deposits: fc.Arbitrary<T>,
    check: (t: IntentTerms & { readonly cryptoAmount: bigint }, d: T, m: Moment) => void,
  ): void =>
    fc.assert(
      fc.property(terms, deposits, moment, (t, d, m) => {
        check(t, d, m);
      }),
      { numRuns: 2000 },
    );

  const amountsOf = ({
    receivedUnits,
    receivedCents,
    overpaidCents,
    acceptedShortfallCents,
  }: IntentOutcome): object => ({
    receivedUnits,
    receivedCents,
    overpaidCents,
    acceptedShortfallCents,
  });
  const totalOf = (deposits: readonly DepositFact[], t: IntentTerms, ...states: PaymentState[]): bigint =>
    deposits
      .filter((deposit) => states.includes(deposit.status) && isInTime(deposit, t.expiresAt))
      .reduce((total, { amount }) => total + amount, 0n);

  it('does not depend on the order of the transfers', () => {
    holds(ANY, (t, d, m) => expect(foldIntent(t, d.toReversed(), m)).toEqual(foldIntent(t, d, m)));
  });

  it('shows the same amounts with held money as without', () => {
    holds(fc.tuple(CLEAN, HELD), (t, [d, held], m) =>
      expect(amountsOf(foldIntent(t, [...d, ...held], m))).toEqual(amountsOf(foldIntent(t, d, m))),
    );
  });

  it('completes by clean money whatever is held beside it, and by nothing else', () => {
    holds(ANY, (t, d, m) => {
      const isEnough = totalOf(d, t, 'confirmed') >= requiredUnits(t.cryptoAmount, t.toleranceBps);
      expect(foldIntent(t, d, m).status === 'completed').toBe(isEnough);
    });
  });

  it('is after every release what it is where no sender was ever listed', () => {
    const release = (deposit: DepositFact): DepositFact =>
      deposit.status === 'on_hold' || deposit.status === 'kept' ? { ...deposit, status: 'confirmed' } : deposit;
    holds(ANY, (t, d, m) => {
      // What a listing may change on the way is that the intent is processing already; it moves on from there the same.
      const held = foldIntent(t, d, m);
      if (held.status !== 'processing' && held.status !== 'requires_action') return;
      const neverHeld = foldIntent(t, d.map(release), m);
      expect(foldIntent({ ...t, status: held.status }, d.map(release), m)).toEqual(neverHeld);
    });
  });

  it('never fails an intent that was sent dust alone', () => {
    holds(ANY, (t, d, m) => {
      const total = totalOf(d, t, 'seen', 'confirmed', 'on_hold', 'kept');
      if (!isPayment(total, t)) expect(['failed', 'completed']).not.toContain(foldIntent(t, d, m).status);
    });
  });

  it('fails as underpaid by a cent of clean money, as on hold by a cent of held money, and expires otherwise', () => {
    holds(ANY, (t, d, m) => {
      const { status, failure } = foldIntent(t, d, m);
      if (status !== 'failed' && status !== 'expired') return;
      const expected = isWorthACent(totalOf(d, t, 'seen', 'confirmed'), t)
        ? 'underpaid'
        : isWorthACent(totalOf(d, t, 'on_hold', 'kept'), t)
          ? 'payment_on_hold'
          : null;
      expect(failure).toBe(expected);
      expect(status).toBe(expected === null ? 'expired' : 'failed');
    });
  });

  it('waits for staff exactly while what they decide can pay it', () => {
    holds(ANY, (t, d, m) => {
      const required = requiredUnits(t.cryptoAmount, t.toleranceBps);
      const counted = totalOf(d, t, 'seen', 'confirmed');
      const canPay = counted < required && counted + totalOf(d, t, 'on_hold') >= required;
      const isOver = m.now >= t.expiresAt && m.caughtUp;
      const outcome = foldIntent(t, d, m);
      expect(outcome.awaitsStaff).toBe(isOver && canPay);
      if (outcome.awaitsStaff) expect(outcome.status).toBe('processing');
    });
  });
});

import { DomainError } from './errors.js';
import { toJsonInteger } from './money.js';
import { receivedValueOf, requiredUnits } from './quote.js';

/** Statuses of a payment intent (spec 3.1). An intent leaves `created` within its first request: clients never see it. */
export const INTENT_STATUSES = [
  'created',
  'requires_action',
  'processing',
  'completed',
  'failed',
  'cancelled',
  'expired',
] as const;
export type IntentStatus = (typeof INTENT_STATUSES)[number];

/**
 * Why an intent failed. `underpaid`: a cent or more arrived in time, but less than the amount. `payment_on_hold`: the
 * payments that arrived in time came from senders on the sanctions list.
 */
export const INTENT_FAILURES = ['underpaid', 'payment_on_hold'] as const;
export type IntentFailure = (typeof INTENT_FAILURES)[number];

/** Limits of an intent's lifetime, as set by its merchant or by the configuration. */
export const LIFETIME_SECONDS = { min: 300, max: 604_800 } as const;

/** Every legal transition (spec 3.1). A trigger of the database enforces the same table. */
export const INTENT_TRANSITIONS: Readonly<Record<IntentStatus, readonly IntentStatus[]>> = {
  created: ['requires_action', 'cancelled', 'expired'],
  requires_action: ['processing', 'cancelled', 'expired'],
  processing: ['completed', 'failed', 'expired'],
  completed: [],
  failed: [],
  cancelled: [],
  expired: [],
};

/**
 * The statuses that an intent passes through between two others, in order. An intent whose payment is final when it is
 * first seen passes through `processing` in one step: spec 3.1 completes and fails only intents in `processing`.
 */
export function statusesBetween(from: IntentStatus, to: IntentStatus): readonly IntentStatus[] {
  if (from === to || INTENT_TRANSITIONS[from].includes(to)) return [];
  const via = INTENT_TRANSITIONS[from].find((status) => INTENT_TRANSITIONS[status].includes(to));
  if (via === undefined) throw new Error(`A payment intent cannot go from ${from} to ${to}.`);
  return [via];
}

/** Whether the status is final. */
export function isTerminal(status: IntentStatus): boolean {
  return INTENT_TRANSITIONS[status].length === 0;
}

/** Statuses that can still change. */
export const OPEN_STATUSES = INTENT_STATUSES.filter((status) => !isTerminal(status));
/** Final statuses. */
export const TERMINAL_STATUSES = INTENT_STATUSES.filter(isTerminal);

/** The terms of an intent; `cryptoAmount` is null before the address is generated. */
export interface IntentTerms {
  readonly status: IntentStatus;
  readonly amountCents: number;
  readonly cryptoAmount: bigint | null;
  readonly toleranceBps: number;
  readonly expiresAt: Date;
}

/**
 * The state of a transfer. `seen`: on chain but not final. `confirmed`: final. `orphaned`: removed by a reorg. `on_hold`:
 * final, from a listed sender, and staff have not decided yet. `kept`: staff decided to keep it.
 */
export type PaymentState = 'seen' | 'confirmed' | 'orphaned' | 'on_hold' | 'kept';

/** One transfer to the intent's address in the intent's token. */
export interface DepositFact {
  readonly amount: bigint;
  readonly status: PaymentState;
  readonly blockTime: Date;
  /** When we first saw it, by the database's clock. */
  readonly seenAt: Date;
}

/** The time of the decision, and how far the chain has been read. */
export interface Moment {
  readonly now: Date;
  /** True once the listener has recorded every block that can hold a transfer made by `expiresAt`. */
  readonly caughtUp: boolean;
}

/** The state of an intent, given the facts. Amounts are in fiat minor units, except `receivedUnits` (smallest units). */
export interface IntentOutcome {
  readonly status: IntentStatus;
  readonly failure: IntentFailure | null;
  readonly receivedUnits: bigint;
  readonly receivedCents: number;
  readonly overpaidCents: number;
  readonly acceptedShortfallCents: number;
  /** True when the deadline has no effect any more: only a decision about money on hold or another transfer has. */
  readonly awaitsStaff: boolean;
}

/**
 * Whether a transfer counts: its block was made, or we first saw it, by the deadline. Either is enough: block clocks
 * drift, and the payer must not suffer from a listener that was down.
 */
export function isInTime(deposit: Pick<DepositFact, 'blockTime' | 'seenAt'>, expiresAt: Date): boolean {
  return deposit.blockTime <= expiresAt || deposit.seenAt <= expiresAt;
}

/** The sums of the transfers that arrived in time, in smallest units. */
interface Sums {
  /** Neither on hold nor kept, final or not. */
  readonly clean: bigint;
  /** The final part of `clean`. */
  readonly final: bigint;
  readonly onHold: bigint;
  readonly kept: bigint;
}

type Decision = Pick<IntentOutcome, 'status' | 'failure' | 'awaitsStaff'>;

/**
 * Computes the state of an open intent as a fold over its facts. No code sets a status directly, so late, double,
 * partial, frozen and reorged payments are ordinary inputs. `processing` never goes back to `requires_action` (spec 3.1).
 */
export function foldIntent(terms: IntentTerms, deposits: readonly DepositFact[], moment: Moment): IntentOutcome {
  if (isTerminal(terms.status)) throw new Error(`A terminal intent (${terms.status}) is not folded again.`);
  const sums = sumsOf(deposits.filter((deposit) => isInTime(deposit, terms.expiresAt)));
  const decision = decide(terms, sums, moment);
  // A completed intent keeps its amounts for good, so they must not include money that a reorg can still remove.
  const amounts = amountsOf(terms, decision.status === 'completed' ? sums.final : sums.clean);
  if (decision.status !== 'completed') return { ...amounts, ...decision, acceptedShortfallCents: 0 };
  return {
    ...amounts,
    ...decision,
    receivedCents: terms.amountCents,
    acceptedShortfallCents: terms.amountCents - amounts.receivedCents,
  };
}

/** Whether units are worth a cent by the intent's own quote. Less is dust, which anyone can send. */
export function isWorthACent(units: bigint, { amountCents, cryptoAmount }: QuotedTerms): boolean {
  if (cryptoAmount === null) return false;
  return receivedValueOf(units, { amountCents: BigInt(amountCents), cryptoAmount }).receivedCents >= 1n;
}

/** Whether units count as a payment: they are worth a cent, or enough to complete the intent. */
export function isPayment(units: bigint, terms: QuotedTerms & Pick<IntentTerms, 'toleranceBps'>): boolean {
  if (terms.cryptoAmount === null) return false;
  return isWorthACent(units, terms) || units >= requiredUnits(terms.cryptoAmount, terms.toleranceBps);
}

type QuotedTerms = Pick<IntentTerms, 'amountCents' | 'cryptoAmount'>;

function sumsOf(deposits: readonly DepositFact[]): Sums {
  const of = (...states: readonly PaymentState[]): bigint =>
    deposits.reduce((total, { amount, status }) => (states.includes(status) ? total + amount : total), 0n);
  return { clean: of('seen', 'confirmed'), final: of('confirmed'), onHold: of('on_hold'), kept: of('kept') };
}

function amountsOf(
  terms: IntentTerms,
  received: bigint,
): Pick<IntentOutcome, 'receivedUnits' | 'receivedCents' | 'overpaidCents'> {
  if (terms.cryptoAmount === null) return { receivedUnits: 0n, receivedCents: 0, overpaidCents: 0 };
  const value = receivedValueOf(received, { amountCents: BigInt(terms.amountCents), cryptoAmount: terms.cryptoAmount });
  return {
    receivedUnits: received,
    receivedCents: toJsonInteger(value.receivedCents),
    overpaidCents: toJsonInteger(value.overpaidCents),
  };
}

function decide(terms: IntentTerms, sums: Sums, moment: Moment): Decision {
  const isOver = moment.now >= terms.expiresAt;
  const open = terms.status === 'created' ? 'requires_action' : terms.status;
  if (terms.cryptoAmount === null) return as(isOver ? 'expired' : open);
  const required = requiredUnits(terms.cryptoAmount, terms.toleranceBps);
  if (sums.final >= required) return as('completed');
  const { clean, onHold, kept } = sums;
  if (!isOver || !moment.caughtUp) return as(isPayment(clean + onHold + kept, terms) ? 'processing' : open);
  if (clean >= required) return as('processing');
  if (clean + onHold >= required) return { ...as('processing'), awaitsStaff: true };
  if (isWorthACent(clean, terms)) return { ...as('failed'), failure: 'underpaid' };
  if (isWorthACent(onHold + kept, terms)) return { ...as('failed'), failure: 'payment_on_hold' };
  return as('expired');
}

const as = (status: IntentStatus): Decision => ({ status, failure: null, awaitsStaff: false });

/** Returns the status after `confirm` (spec 4.3). Confirming twice is harmless; a terminal intent throws. */
export function statusAfterConfirm(status: IntentStatus): IntentStatus {
  if (isTerminal(status)) {
    throw new DomainError('invalid_state_transition', `A payment intent that is ${status} cannot be confirmed.`);
  }
  return 'processing';
}

/** Throws when the intent is terminal: it gets no address (spec 7). */
export function assertAddressCanBeGenerated(status: IntentStatus): void {
  if (isTerminal(status)) {
    throw new DomainError('invalid_state_transition', `A payment intent that is ${status} gets no address.`);
  }
}

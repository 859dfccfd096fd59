import { DomainError } from './errors.js';
import { toJsonInteger } from './money.js';
import { receivedValueOf, requiredUnits } from './quote.js';

/** Statuses of a payment intent (spec 3.1). `created` is passed within the creating request and never seen outside. */
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

/** Why an intent failed: something arrived in time, but less than was asked for. */
export type IntentFailure = 'underpaid';

/** Every legal move (spec 3.1). The database guards the same table. */
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
 * The statuses an intent passes through on its way from one to the other, in order. A payment that is final when it is
 * first seen goes through `processing` in one step: spec 3.1 settles and fails nothing else.
 */
export function statusesBetween(from: IntentStatus, to: IntentStatus): readonly IntentStatus[] {
  if (from === to || INTENT_TRANSITIONS[from].includes(to)) return [];
  const via = INTENT_TRANSITIONS[from].find((status) => INTENT_TRANSITIONS[status].includes(to));
  if (via === undefined) throw new Error(`A payment intent cannot go from ${from} to ${to}.`);
  return [via];
}

/** True once nothing can change any more. */
export function isTerminal(status: IntentStatus): boolean {
  return INTENT_TRANSITIONS[status].length === 0;
}

/** What an intent was created with and quoted; `cryptoAmount` is null before the address. */
export interface IntentTerms {
  readonly status: IntentStatus;
  readonly amountCents: number;
  readonly cryptoAmount: bigint | null;
  readonly toleranceBps: number;
  readonly expiresAt: Date;
}

/** One transfer to the intent's address in the intent's token, as far as it decides the intent. */
export interface DepositFact {
  readonly amount: bigint;
  readonly status: 'seen' | 'confirmed' | 'orphaned';
  readonly blockTime: Date;
  /** When we first saw it, by the database's clock. */
  readonly seenAt: Date;
}

/** Where the facts stand. */
export interface Moment {
  readonly now: Date;
  /** True once the listener has recorded every block that can hold a transfer made by `expiresAt`. */
  readonly caughtUp: boolean;
}

/** What an intent is, given the facts. Amounts in fiat minor units but for `receivedUnits` (smallest units). */
export interface IntentOutcome {
  readonly status: IntentStatus;
  readonly failure: IntentFailure | null;
  readonly receivedUnits: bigint;
  readonly receivedCents: number;
  readonly overpaidCents: number;
  readonly acceptedShortfallCents: number;
}

/**
 * A transfer counts when its block was made, or we first saw it, by the deadline. Either is enough: block clocks drift,
 * and a listener that was down must not cost the payer (api.md 2 "Expiry").
 */
export function isInTime(deposit: DepositFact, expiresAt: Date): boolean {
  return deposit.blockTime <= expiresAt || deposit.seenAt <= expiresAt;
}

const sum = (deposits: readonly DepositFact[]): bigint =>
  deposits.reduce((total, deposit) => total + deposit.amount, 0n);

/**
 * The state of an open intent as a fold over its facts: nobody sets a status by hand, so late, double, partial and
 * reorged payments are ordinary inputs. Processing never goes back (spec 3.1 has no such move).
 */
export function foldIntent(terms: IntentTerms, deposits: readonly DepositFact[], moment: Moment): IntentOutcome {
  if (isTerminal(terms.status)) throw new Error(`A terminal intent (${terms.status}) is not folded again.`);
  const counted = deposits.filter((deposit) => deposit.status !== 'orphaned' && isInTime(deposit, terms.expiresAt));
  const received = sum(counted);
  const final = sum(counted.filter((deposit) => deposit.status === 'confirmed'));
  const status = statusOf(terms, received, final, moment);
  // What completes an intent is frozen with it, so it must not contain money that a reorg can still take away.
  const amounts = amountsOf(terms, status === 'completed' ? final : received);
  if (status !== 'completed') {
    return { ...amounts, status, failure: status === 'failed' ? 'underpaid' : null, acceptedShortfallCents: 0 };
  }
  return {
    ...amounts,
    status,
    failure: null,
    receivedCents: terms.amountCents,
    acceptedShortfallCents: terms.amountCents - amounts.receivedCents,
  };
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

function statusOf(terms: IntentTerms, received: bigint, final: bigint, moment: Moment): IntentStatus {
  const open = terms.status === 'created' ? 'requires_action' : terms.status;
  if (terms.cryptoAmount === null) return moment.now < terms.expiresAt ? open : 'expired';
  const required = requiredUnits(terms.cryptoAmount, terms.toleranceBps);
  if (final >= required) return 'completed';
  if (moment.now < terms.expiresAt || !moment.caughtUp) return received > 0n ? 'processing' : open;
  if (received >= required) return 'processing';
  return received > 0n ? 'failed' : 'expired';
}

/** The status after `confirm` (spec 4.3): repeating it is harmless, a terminal intent refuses it. */
export function statusAfterConfirm(status: IntentStatus): IntentStatus {
  if (isTerminal(status)) {
    throw new DomainError('invalid_state_transition', `A payment intent that is ${status} cannot be confirmed.`);
  }
  return 'processing';
}

/** Refuses an address for an intent that is over (spec 7). */
export function assertAddressCanBeGenerated(status: IntentStatus): void {
  if (isTerminal(status)) {
    throw new DomainError('invalid_state_transition', `A payment intent that is ${status} gets no address.`);
  }
}

import { fiatText } from '../../domain/money.js';
import type { PaymentState } from '../../domain/intent-state.js';
import { receivedValueOf, requiredUnits } from '../../domain/quote.js';
import type { IntentFact, PaymentFact, QuoteFact } from './intent-verdict-facts.js';

/** The payments compared with the quote. Amounts in smallest units. */
export interface Standing {
  readonly quote: QuoteFact;
  /** On chain, final or not, in time, and neither on hold nor kept. */
  readonly counted: readonly PaymentFact[];
  /** On chain, but too late to count, and neither on hold nor kept. */
  readonly late: readonly PaymentFact[];
  /** Removed by a reorg. */
  readonly orphaned: readonly PaymentFact[];
  /** Final, of listed senders, in time or late: those that wait for a decision, and those that are kept. */
  readonly onHold: readonly PaymentFact[];
  readonly kept: readonly PaymentFact[];
  readonly received: bigint;
  readonly final: bigint;
  /** The sum on hold that arrived in time. */
  readonly undecided: bigint;
  /** The sum that completes the intent, tolerance included. */
  readonly required: bigint;
}

const sum = (payments: readonly PaymentFact[]): bigint => payments.reduce((total, { amount }) => total + amount, 0n);

/** Sorts the payments by what they count for. */
export function standingOf(quote: QuoteFact, payments: readonly PaymentFact[]): Standing {
  const of = (state: PaymentState): PaymentFact[] => payments.filter(({ status }) => status === state);
  const clean = payments.filter(({ status }) => status === 'seen' || status === 'confirmed');
  const counted = clean.filter(({ late }) => !late);
  const onHold = of('on_hold');
  return {
    quote,
    counted,
    late: clean.filter(({ late }) => late),
    orphaned: of('orphaned'),
    onHold,
    kept: of('kept'),
    received: sum(counted),
    final: sum(counted.filter(({ status }) => status === 'confirmed')),
    undecided: sum(onHold.filter(({ late }) => !late)),
    required: requiredUnits(quote.cryptoAmount, quote.toleranceBps),
  };
}

/** Whether payments have arrived, and all of them are final. */
export const areFinal = (payments: readonly PaymentFact[]): boolean =>
  payments.length > 0 && payments.every(({ status }) => status === 'confirmed');

/** Returns the value of units of the intent's token in its fiat, by its own quote, rounded down. */
function centsOf(units: bigint, intent: IntentFact, { cryptoAmount }: QuoteFact): bigint {
  const value = receivedValueOf(units, { amountCents: BigInt(intent.amountCents), cryptoAmount });
  return value.receivedCents + value.overpaidCents;
}

/** The value that is missing once units have arrived, `15.00 USD`; it says so where it is rounded up. */
export function missingValueText(received: bigint, intent: IntentFact, quote: QuoteFact): string {
  const cents = BigInt(intent.amountCents) - centsOf(received, intent, quote);
  const isExact = (received * BigInt(intent.amountCents)) % quote.cryptoAmount === 0n;
  return `${fiatText(cents, intent.currency)}${isExact ? '' : ', rounded up'}`;
}

/** Anybody can send less than a cent for the price of gas: it must not dominate the explanation. */
export function isWorthReporting(payments: readonly PaymentFact[], intent: IntentFact, quote: QuoteFact): boolean {
  return payments.length > 0 && centsOf(sum(payments), intent, quote) >= 1n;
}

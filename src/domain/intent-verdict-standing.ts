import { receivedValueOf, requiredUnits } from './quote.js';
import type { IntentFact, PaymentFact, QuoteFact } from './intent-verdict-facts.js';

/** How the payments stand against what was quoted. Amounts in smallest units. */
export interface Standing {
  readonly quote: QuoteFact;
  /** On chain, final or not, and in time. */
  readonly counted: readonly PaymentFact[];
  /** On chain, but too late to count. */
  readonly late: readonly PaymentFact[];
  /** Taken back by a reorg. */
  readonly orphaned: readonly PaymentFact[];
  readonly received: bigint;
  readonly final: bigint;
  /** What completes the intent, tolerance included. */
  readonly required: bigint;
}

const sum = (payments: readonly PaymentFact[]): bigint => payments.reduce((total, { amount }) => total + amount, 0n);

/** Sorts the payments by what they count for. */
export function standingOf(quote: QuoteFact, payments: readonly PaymentFact[]): Standing {
  const onChain = payments.filter(({ status }) => status !== 'orphaned');
  const counted = onChain.filter(({ late }) => !late);
  return {
    quote,
    counted,
    late: onChain.filter(({ late }) => late),
    orphaned: payments.filter(({ status }) => status === 'orphaned'),
    received: sum(counted),
    final: sum(counted.filter(({ status }) => status === 'confirmed')),
    required: requiredUnits(quote.cryptoAmount, quote.toleranceBps),
  };
}

/** What units of the intent's token are worth in its fiat, by its own quote, rounded down. */
export function centsOf(units: bigint, intent: IntentFact, { cryptoAmount }: QuoteFact): bigint {
  const value = receivedValueOf(units, { amountCents: BigInt(intent.amountCents), cryptoAmount });
  return value.receivedCents + value.overpaidCents;
}

/** Anybody can send less than a cent for the price of gas: it must not become the story of an intent. */
export function isWorthTelling(payments: readonly PaymentFact[], intent: IntentFact, quote: QuoteFact): boolean {
  return payments.length > 0 && centsOf(sum(payments), intent, quote) >= 1n;
}

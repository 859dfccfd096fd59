import { fiatText } from '../../domain/money.js';
import type { IntentFact, IntentFacts, PaymentFact, QuoteFact } from './intent-verdict-facts.js';
import type { Evidence, Finding } from './intent-verdict-finding.js';
import { onHoldFindings } from './intent-verdict-on-hold.js';
import { areFinal, isWorthReporting, missingValueText, type Standing, standingOf } from './intent-verdict-standing.js';
import { amountText, sumText } from './intent-verdict-wording.js';

/** Explains how an intent ended, and other payments that arrived or were lost. */
export function endedFindings(facts: IntentFacts): Finding[] {
  const { intent } = facts;
  const standing = intent.quote === null ? null : standingOf(intent.quote, facts.payments);
  const onHold = standing === null ? [] : onHoldFindings(facts, standing);
  switch (intent.status) {
    case 'completed':
      return [...onHold, ...completed(facts, standing)];
    case 'failed':
      return [...late(intent, standing), ...orphaned(intent, standing), ...onHold, failed(intent, standing)];
    case 'expired':
      return [...late(intent, standing), ...orphaned(intent, standing), ...onHold, expired(intent, standing)];
    default:
      return [...late(intent, standing), ...onHold, cancelled(intent)];
  }
}

function completed({ intent }: IntentFacts, standing: Standing | null): Finding[] {
  if (standing !== null && isCompletedOnHold(standing, intent)) {
    return [...surplus(intent, standing), completedOnHold(intent, standing)];
  }
  const received = standing === null ? '' : `${amountOf(intent, standing.quote, intent.receivedUnits)} arrived, `;
  return [
    ...(standing === null
      ? []
      : [...paidAgain(intent, standing), ...surplus(intent, standing), ...shortfall(intent, standing)]),
    {
      code: 'paid_completed',
      sentence: `The intent is paid: ${received}is final, and is in your pocket.`,
      nextAction: 'Nothing is left to do for the payment: deliver what was ordered.',
      evidence: {
        ...evidenceOf(intent, standing),
        pocketId: intent.pocketId,
        ...(intent.completedAt !== null && { since: intent.completedAt }),
      },
    },
  ];
}

/** Money on hold completed intents until it stopped counting; such an intent stays completed. */
function isCompletedOnHold({ final, onHold, kept }: Standing, { receivedUnits }: IntentFact): boolean {
  return receivedUnits > final && [...onHold, ...kept].some(({ late: isLate }) => !isLate);
}

function completedOnHold(intent: IntentFact, standing: Standing): Finding {
  return {
    code: 'paid_completed',
    sentence:
      `The intent is completed: ${amountOf(intent, standing.quote, intent.receivedUnits)} arrived and is final, and what ` +
      'of it is on hold is in no pocket.',
    nextAction: 'Deliver for no more than the pocket shows, and ask the operator about the rest.',
    evidence: { ...evidenceOf(intent, standing), ...(intent.completedAt !== null && { since: intent.completedAt }) },
  };
}

function paidAgain(intent: IntentFact, standing: Standing): Finding[] {
  if (!isWorthReporting(standing.late, intent, standing.quote)) return [];
  return [
    {
      code: 'paid_again',
      sentence: `${sumText(standing.late)} arrived beyond what completed the intent; ${whereItIs(standing.late)}.`,
      nextAction: 'Return it to the customer, or set it off against another order.',
      evidence: { payments: standing.late, pocketId: intent.pocketId },
    },
  ];
}

function surplus(intent: IntentFact, standing: Standing): Finding[] {
  const { quote } = standing;
  if (intent.overpaidCents < 1) return [];
  return [
    {
      code: 'overpaid',
      sentence:
        `${amountOf(intent, quote, intent.receivedUnits)} arrived where ${amountOf(intent, quote, quote.cryptoAmount)} ` +
        `was asked for: ${fiatText(BigInt(intent.overpaidCents), intent.currency)} too much.`,
      nextAction: isCompletedOnHold(standing, intent)
        ? 'What of the surplus is not on hold can be returned to the customer, or kept by agreement.'
        : 'The surplus is in your pocket: return it to the customer, or keep it by agreement.',
      evidence: { ...evidenceOf(intent, standing), pocketId: intent.pocketId },
    },
  ];
}

function shortfall(intent: IntentFact, standing: Standing): Finding[] {
  if (intent.acceptedShortfallCents < 1) return [];
  return [
    {
      code: 'shortfall_accepted',
      sentence:
        `${fiatText(BigInt(intent.acceptedShortfallCents), intent.currency)} too little arrived, which your ` +
        'tolerance for underpayment accepts; the intent is completed.',
      nextAction: 'Nothing is left to do for the payment. Ask the operator to change the tolerance if you want none.',
      evidence: evidenceOf(intent, standing),
    },
  ];
}

function failed(intent: IntentFact, standing: Standing | null): Finding {
  return intent.failure === 'payment_on_hold' ? failedOnHold(intent, standing) : underpaid(intent, standing);
}

function failedOnHold(intent: IntentFact, standing: Standing | null): Finding {
  const again = 'Create a new intent if the customer still wants to pay, from another wallet.';
  return {
    code: 'failed_on_hold',
    sentence:
      'The deadline passed, and what arrived in time came from a sender on the sanctions list: it did not pay the intent.',
    nextAction: isAnyOnHold(standing) ? `${again} If the operator releases the money, it is credited as late.` : again,
    evidence: { ...evidenceOf(intent, standing), expiresAt: intent.expiresAt },
  };
}

const isAnyOnHold = (standing: Standing | null): boolean =>
  standing !== null && standing.onHold.length + standing.kept.length > 0;

function underpaid(intent: IntentFact, standing: Standing | null): Finding {
  return {
    code: 'underpaid_at_end',
    sentence: standing === null ? 'Too little had arrived by the deadline.' : shortText(intent, standing.quote),
    nextAction:
      `What arrived${isAnyOnHold(standing) ? ' and is not on hold' : ''} is yours and in your pocket` +
      `${standing !== null && areFinal(standing.counted) ? '' : ' once final'}. Return it to the customer, or take the rest ` +
      'with a new intent for the missing amount.',
    evidence: { ...evidenceOf(intent, standing), expiresAt: intent.expiresAt, pocketId: intent.pocketId },
  };
}

function shortText(intent: IntentFact, quote: QuoteFact): string {
  const { receivedUnits } = intent;
  const missing = amountOf(intent, quote, quote.cryptoAmount - receivedUnits);
  return (
    `${amountOf(intent, quote, receivedUnits)} of ${amountOf(intent, quote, quote.cryptoAmount)} had arrived by the ` +
    `deadline: ${missing} (${missingValueText(receivedUnits, intent, quote)}) too little.`
  );
}

function expired(intent: IntentFact, standing: Standing | null): Finding {
  const again = 'Create a new intent if the customer still wants to pay.';
  const { quote, expiresAt } = intent;
  if (quote === null) {
    return {
      code: 'expired_unpaid',
      sentence: 'The deadline passed before an address was generated.',
      nextAction: again,
      evidence: { expiresAt },
    };
  }
  const counted = standing === null ? [] : standing.counted;
  const onHold = standing === null ? [] : [...standing.onHold, ...standing.kept].filter(({ late: isLate }) => !isLate);
  const dust = [...counted, ...onHold];
  return {
    code: 'expired_unpaid',
    sentence:
      dust.length === 0
        ? 'The deadline passed, and no payment that counts had arrived.'
        : `The deadline passed, and only dust arrived in time: ${dustText(intent, counted, onHold)}.`,
    nextAction: `${again} What is sent to the old address is still credited to your pocket, unless it is put on hold.`,
    evidence: { expiresAt, address: quote.address, ...(dust.length > 0 && { payments: dust }) },
  };
}

/** Each of the two sums is worth less than a cent; together they may be worth more. */
function dustText({ currency }: IntentFact, counted: readonly PaymentFact[], onHold: readonly PaymentFact[]): string {
  return [
    ...(counted.length > 0 ? [`${sumText(counted)}, worth less than 0.01 ${currency}`] : []),
    ...(onHold.length > 0 ? [`${sumText(onHold)} from a sender on the sanctions list, which does not count`] : []),
  ].join('; ');
}

function cancelled(intent: IntentFact): Finding {
  return {
    code: 'cancelled_by_system',
    sentence: 'The operator cancelled this intent while nothing had been paid.',
    nextAction: 'Create a new intent if the customer still wants to pay, and ask the operator for the reason.',
    evidence: intent.quote === null ? {} : { address: intent.quote.address },
  };
}

function late(intent: IntentFact, standing: Standing | null): Finding[] {
  if (standing === null || !isWorthReporting(standing.late, intent, standing.quote)) return [];
  return [
    {
      code: 'paid_late',
      sentence: `${lateText(standing.late)}.`,
      nextAction: 'Decide about the order yourself: the money is yours. Fulfil it by hand, or return the money.',
      evidence: { payments: standing.late, expiresAt: intent.expiresAt, pocketId: intent.pocketId },
    },
  ];
}

/** A payment released after the end may have arrived in time, and one released before it may have arrived late. */
function lateText(payments: readonly PaymentFact[]): string {
  const released = payments.filter((payment) => payment.released);
  const others = payments.filter((payment) => !payment.released);
  return [
    ...(released.length > 0
      ? [
          `${sumText(released)} had been on hold, was too late to count for this intent, and was released to your pocket`,
        ]
      : []),
    ...(others.length > 0 ? [`${sumText(others)} arrived after this intent had ended; ${whereItIs(others)}`] : []),
  ].join('; ');
}

function orphaned(intent: IntentFact, standing: Standing | null): Finding[] {
  if (standing === null || standing.orphaned.length === 0) return [];
  return [
    {
      code: 'payment_orphaned',
      sentence:
        `${sumText(standing.orphaned)} had been seen on ${intent.network}, and a reorganisation of the chain took it ` +
        'back.',
      nextAction: 'Nothing of it was credited. Ask the customer to look the transaction up, and to pay a new intent.',
      evidence: { payments: standing.orphaned },
    },
  ];
}

const amountOf = ({ token }: IntentFact, { decimals }: QuoteFact, amount: bigint): string =>
  amountText({ token, decimals, amount });

const whereItIs = (payments: readonly PaymentFact[]): string =>
  areFinal(payments) ? 'it is in your pocket' : 'it is in your pocket as soon as it is final';

function evidenceOf(intent: IntentFact, standing: Standing | null): Evidence {
  if (standing === null) return {};
  const { quote, counted } = standing;
  return {
    address: quote.address,
    amounts: { expected: quote.cryptoAmount, received: intent.receivedUnits, decimals: quote.decimals },
    ...(counted.length > 0 && { payments: counted }),
  };
}

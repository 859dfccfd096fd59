import type { IntentFacts, PaymentFact } from './intent-verdict-facts.js';
import type { Evidence, Finding } from './intent-verdict-finding.js';
import { awaitsOperator, onHoldFindings } from './intent-verdict-on-hold.js';
import { isWorthReporting, missingValueText, type Standing, standingOf } from './intent-verdict-standing.js';
import { amountText, betweenText, durationText, sumText } from './intent-verdict-wording.js';

/** Explains an open intent: one finding about its payment, and notable facts beside it. */
export function openFindings(facts: IntentFacts): Finding[] {
  const { intent, now } = facts;
  const isDue = now >= intent.expiresAt;
  if (intent.quote === null) return [isDue ? outcomePending(facts) : addressMissing(facts)];
  const standing = standingOf(intent.quote, facts.payments);
  const onHold = onHoldFindings(facts, standing);
  const state = stateOf(facts, standing, onHold.length > 0);
  return [...orphaned(facts, standing), ...onHold, ...late(facts, standing), ...(state === null ? [] : [state])];
}

/** Returns null where the findings on hold say it all. */
function stateOf(facts: IntentFacts, standing: Standing, isOnHold: boolean): Finding | null {
  const isDue = facts.now >= facts.intent.expiresAt;
  if (standing.final >= standing.required) return bookingPending(facts, standing);
  if (standing.received >= standing.required) return notFinal(facts, standing, isDue);
  if (isDue) return isOnHold && awaitsOperator(standing) ? null : outcomePending(facts);
  if (isWorthReporting(standing.counted, facts.intent, standing.quote)) return partPaid(facts, standing);
  if (isOnHold) return null;
  return standing.received === 0n ? unpaid(facts, standing) : dustOnly(facts, standing);
}

function addressMissing(facts: IntentFacts): Finding {
  const { intent } = facts;
  return {
    code: 'awaiting_address',
    sentence: `No address was generated yet, so the customer cannot pay; the intent expires in ${timeLeft(facts)}.`,
    nextAction: 'Call generate-address, and show the customer the address and the amount it answers.',
    evidence: { expiresAt: intent.expiresAt },
  };
}

function outcomePending(facts: IntentFacts): Finding {
  const { intent, now } = facts;
  const until =
    intent.quote === null ? 'It expires within seconds.' : 'The outcome follows once every block up to it was read.';
  return {
    code: 'awaiting_outcome',
    sentence: `The deadline passed ${betweenText(now, intent.expiresAt)} ago. ${until}`,
    nextAction: 'Ask again in some seconds. If it stays so for minutes, ask the operator about listener and worker.',
    evidence: { expiresAt: intent.expiresAt },
  };
}

function bookingPending(facts: IntentFacts, standing: Standing): Finding {
  return {
    code: 'awaiting_outcome',
    sentence: 'The full amount is final; the intent is completed within seconds.',
    nextAction: 'Ask again in some seconds. If it stays so for minutes, ask the operator whether the workers run.',
    evidence: evidenceOf(facts, standing),
  };
}

function notFinal(facts: IntentFacts, standing: Standing, isDue: boolean): Finding {
  const last = standing.counted
    .filter(({ status }) => status === 'seen')
    .reduce((least, payment) => (payment.blockHeight > least.blockHeight ? payment : least));
  const secondsToGo = secondsToFinality(facts, last);
  const togo = secondsToGo === null || secondsToGo === 0 ? '' : `, about ${durationText(secondsToGo)} to go`;
  const evidence = { ...evidenceOf(facts, standing), ...(secondsToGo !== null && { secondsToGo }) };
  if (isDue) {
    return {
      code: 'awaiting_settlement',
      sentence:
        `The full amount arrived in time and ${depthText(last)}${togo}; the deadline passed ` +
        `${betweenText(facts.now, facts.intent.expiresAt)} ago, and the intent waits for it.`,
      nextAction: 'Wait, and do not ask the customer to pay again: it completes when the payment is final.',
      evidence,
    };
  }
  return {
    code: 'awaiting_confirmations',
    sentence: `The full amount was seen on ${facts.intent.network} and ${depthText(last)}${togo}.`,
    nextAction: 'Wait: the intent completes by itself when the payment is final. Deliver nothing before.',
    evidence,
  };
}

function unpaid(facts: IntentFacts, standing: Standing): Finding {
  const { intent, payments } = facts;
  const what = amountText({ ...standing.quote, token: intent.token, amount: standing.quote.cryptoAmount });
  const { address } = standing.quote;
  const evidence = evidenceOf(facts, standing);
  if (intent.status === 'processing' && payments.length === 0) {
    return {
      code: 'confirmed_by_merchant_unpaid',
      sentence:
        `The intent is processing because it was confirmed over the API; no payment of ${what} has been seen on ` +
        `${intent.network} yet; time left: ${timeLeft(facts)}.`,
      nextAction: `Deliver nothing yet. The customer has to send ${what} on ${intent.network} to ${address}.`,
      evidence,
    };
  }
  return {
    code: 'not_paid',
    sentence: `No payment of ${what} has been seen on ${intent.network}; time left: ${timeLeft(facts)}.`,
    nextAction:
      `If the customer says they have paid, ask for the transaction: it must send ${intent.token} on ` +
      `${intent.network} to ${address}, and be mined.`,
    evidence,
  };
}

function partPaid(facts: IntentFacts, standing: Standing): Finding {
  const { intent } = facts;
  const { quote, received } = standing;
  const text = (amount: bigint): string => amountText({ ...quote, token: intent.token, amount });
  const missing = quote.cryptoAmount - received;
  return {
    code: 'part_paid',
    sentence:
      `${text(received)} of ${text(quote.cryptoAmount)} arrived; still missing: ${text(missing)} ` +
      `(${missingValueText(received, intent, quote)}); time left: ${timeLeft(facts)}.`,
    nextAction: `Ask the customer to send the missing ${text(missing)} on ${intent.network} to ${quote.address} in time.`,
    evidence: evidenceOf(facts, standing),
  };
}

function dustOnly(facts: IntentFacts, standing: Standing): Finding {
  const { intent } = facts;
  return {
    code: 'dust_only',
    sentence:
      `Only dust arrived: ${sumText(standing.counted)}, worth less than 0.01 ${intent.currency}; ` +
      `time left: ${timeLeft(facts)}.`,
    nextAction: 'Treat the intent as unpaid: strangers send dust to addresses that they find on a chain.',
    evidence: evidenceOf(facts, standing),
  };
}

/** Only while the payment is missing: once enough has arrived otherwise, it does not matter. */
function orphaned(facts: IntentFacts, standing: Standing): Finding[] {
  const payments = standing.orphaned;
  if (payments.length === 0 || standing.received >= standing.required) return [];
  return [
    {
      code: 'payment_orphaned',
      sentence: `${sumText(payments)} had been seen on ${facts.intent.network}, and a reorganisation of the chain took it back.`,
      nextAction:
        'Wait some minutes: most such payments are mined again by themselves. If it does not come back, ask the ' +
        'customer to pay again.',
      evidence: { ...evidenceOf(facts, standing), payments },
    },
  ];
}

function late(facts: IntentFacts, standing: Standing): Finding[] {
  if (!isWorthReporting(standing.late, facts.intent, standing.quote)) return [];
  return [
    {
      code: 'paid_late',
      sentence: `${sumText(standing.late)} arrived after the deadline and does not count for this intent.`,
      nextAction: 'Decide about the order yourself: once final, the money is in your pocket all the same.',
      evidence: { ...evidenceOf(facts, standing), payments: standing.late, pocketId: facts.intent.pocketId },
    },
  ];
}

const timeLeft = ({ now, intent }: IntentFacts): string => betweenText(intent.expiresAt, now);

function depthText({ confirmations, requiredConfirmations }: PaymentFact): string {
  return confirmations < requiredConfirmations
    ? `has ${confirmations} of ${requiredConfirmations} confirmations`
    : `has its ${requiredConfirmations} confirmations, and is not called final yet`;
}

function secondsToFinality({ chain }: IntentFacts, last: PaymentFact): number | null {
  if (chain === null || chain.secondsPerBlock === null) return null;
  const blocks = Math.max(0, last.requiredConfirmations - last.confirmations);
  return Math.ceil(blocks * chain.secondsPerBlock);
}

function evidenceOf({ intent }: IntentFacts, { quote, received, counted }: Standing): Evidence {
  return {
    address: quote.address,
    expiresAt: intent.expiresAt,
    amounts: { expected: quote.cryptoAmount, received, decimals: quote.decimals },
    ...(counted.length > 0 && { payments: counted }),
  };
}

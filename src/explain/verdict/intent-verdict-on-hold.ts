import { isTerminal } from '../../domain/intent-state.js';
import type { IntentFacts, PaymentFact } from './intent-verdict-facts.js';
import type { Finding } from './intent-verdict-finding.js';
import { isWorthReporting, type Standing } from './intent-verdict-standing.js';
import { betweenText, sumText } from './intent-verdict-wording.js';

/**
 * Findings on money of listed senders: payments that wait for the operator's decision, and those that the operator
 * keeps.
 */
export function onHoldFindings(facts: IntentFacts, standing: Standing): Finding[] {
  const isNotable = (payments: readonly PaymentFact[]): boolean =>
    isWorthReporting(payments, facts.intent, standing.quote);
  return [
    // Also dust, where the intent waits for nothing else.
    ...(isNotable(standing.onHold) || isAwaiting(facts, standing) ? [onHold(facts, standing)] : []),
    ...(isNotable(standing.kept) ? [kept(facts, standing)] : []),
  ];
}

/** True when the operator's decision may still pay the intent, and nothing else can. */
export function awaitsOperator({ received, undecided, required }: Standing): boolean {
  return received < required && received + undecided >= required;
}

const isAwaiting = ({ intent, now }: IntentFacts, standing: Standing): boolean =>
  !isTerminal(intent.status) && now >= intent.expiresAt && awaitsOperator(standing);

function onHold(facts: IntentFacts, standing: Standing): Finding {
  const { intent } = facts;
  const { text, nextAction } = onHoldWords(facts, standing);
  return {
    code: 'payment_on_hold',
    sentence: `${sumText(standing.onHold)} came from a sender on the sanctions list and is on hold: ${text}.`,
    nextAction,
    evidence: { address: standing.quote.address, expiresAt: intent.expiresAt, payments: standing.onHold },
  };
}

function onHoldWords(facts: IntentFacts, standing: Standing): { readonly text: string; readonly nextAction: string } {
  const { now, intent } = facts;
  const ask = 'ask the operator for the decision, with the transactions of the evidence';
  if (isTerminal(intent.status)) {
    return {
      text: 'it is in no pocket unless the operator releases it',
      nextAction: `Deliver nothing for it, and ${ask}. The intent stays ${intent.status} whatever the decision is.`,
    };
  }
  if (now < intent.expiresAt) {
    return {
      text: `it counts for nothing until the operator decides; time left: ${betweenText(intent.expiresAt, now)}`,
      nextAction: `Deliver nothing for it, and ${ask}. The customer may pay from another wallet meanwhile.`,
    };
  }
  const passed = `the deadline passed ${betweenText(now, intent.expiresAt)} ago`;
  return {
    text: awaitsOperator(standing)
      ? `${passed}, and the intent waits for the operator's decision`
      : `it counts for nothing, and ${passed}`,
    nextAction: `Deliver nothing for it, and ${ask}.`,
  };
}

function kept({ intent, now }: IntentFacts, standing: Standing): Finding {
  const canBePaid = !isTerminal(intent.status) && now < intent.expiresAt;
  return {
    code: 'payment_kept',
    sentence:
      `${sumText(standing.kept)} came from a sender on the sanctions list, and the operator keeps it: it counts for ` +
      'nothing and is in no pocket.',
    nextAction: canBePaid
      ? 'Treat it as not paid. The customer may pay from another wallet before the deadline.'
      : 'Treat it as not paid, and send the customer to the operator with questions about it.',
    evidence: { address: standing.quote.address, expiresAt: intent.expiresAt, payments: standing.kept },
  };
}

import type { IntentStatus } from '../../domain/intent-state.js';
import { fiatText } from '../../domain/money.js';
import type { IntentFacts } from '../verdict/intent-verdict-facts.js';
import type { Finding, VerdictCode } from '../verdict/intent-verdict-finding.js';
import { areFinal, standingOf } from '../verdict/intent-verdict-standing.js';
import { amountText, sumText } from '../verdict/intent-verdict-wording.js';

/** Plain texts to paste into a reply. */
export interface IntentAnswers {
  readonly merchant: string;
  readonly payer: string;
}

/** The intent that an answer is about. */
export interface AnsweredIntent {
  readonly id: string;
  readonly reference: string | null;
}

const STATE: Readonly<Record<IntentStatus, string>> = {
  created: 'has the status requires_action',
  requires_action: 'has the status requires_action',
  processing: 'is processing',
  completed: 'is completed',
  failed: 'has failed',
  cancelled: 'is cancelled',
  expired: 'has expired',
};

type Sentence = (facts: IntentFacts, finding: Finding) => string;

/** Returns the answers to the merchant and to the payer. Neither names other parties or parts of the service. */
export function answersFor(
  { id, reference }: AnsweredIntent,
  facts: IntentFacts,
  [verdict]: readonly [Finding, ...Finding[]],
): IntentAnswers {
  const name = reference === null ? `Payment ${id}` : `Payment ${id} (your reference "${reference}")`;
  const { amountCents, currency, status } = facts.intent;
  const closed = facts.acknowledgement === null ? undefined : CLOSED[verdict.code];
  const own = (closed ?? MERCHANT[verdict.code])?.(facts, verdict) ?? `${verdict.sentence} ${verdict.nextAction}`;
  return {
    merchant: `${name} for ${fiatText(BigInt(amountCents), currency)} ${STATE[status]}. ${own}`,
    payer: `Your payment of ${fiatText(BigInt(amountCents), currency)}: ${PAYER[verdict.code](facts, verdict)}`,
  };
}

const quotedText = ({ intent }: IntentFacts): string =>
  intent.quote === null
    ? intent.token
    : amountText({ amount: intent.quote.cryptoAmount, decimals: intent.quote.decimals, token: intent.token });
const sumOf = ({ evidence: { payments = [] } }: Finding): string => sumText(payments);
const place = ({ intent }: IntentFacts): string => `${intent.token} on ${intent.network}`;

/** Where the money is that arrived in time, but not in full. */
function arrivedText({ intent: { quote }, payments }: IntentFacts): string {
  const standing = quote === null ? null : standingOf(quote, payments);
  if (standing === null || !areFinal(standing.counted))
    return 'What arrived is yours once the network has confirmed it, unless we hold it for a check.';
  const isHeld = standing.onHold.length + standing.kept.length > 0;
  return `What arrived${isHeld ? ' and is not on hold' : ''} is in your pocket.`;
}

const NOT_AGAIN = 'Nothing that you paid is lost, and you do not have to pay again.';
const ASK_SHOP = 'Please contact the shop about your order.';

const REVIEWED = 'We have reviewed this payment and closed the case.';

/** What is said once staff have acknowledged how it was paid: no advice that is settled already. */
const CLOSED: Partial<Readonly<Record<VerdictCode, Sentence>>> = {
  underpaid_at_end: (facts, { sentence }) => `${sentence} ${arrivedText(facts)} ${REVIEWED}`,
  overpaid: (_facts, { sentence }) => `${sentence} ${REVIEWED}`,
  shortfall_accepted: (_facts, { sentence }) => `${sentence} ${REVIEWED}`,
};

/** Where the sentence of the finding is for another reader. */
const MERCHANT: Partial<Readonly<Record<VerdictCode, Sentence>>> = {
  settlement_quarantined: () =>
    'We are checking this payment by hand, and its status may be out of date until then. What arrived is recorded.',
  paid_in_another_token: (facts, finding) =>
    `${sumOf(finding)} reached its address, but it asks for ${place(facts)}. The funds are not credited yet. Tell us ` +
    'whether your customer wants them back, and to which address.',
  paid_on_another_network: (facts, finding) =>
    `${sumOf(finding)} reached its address on another network, but it asks for ${place(facts)}. The funds are not ` +
    'credited yet. Tell us whether your customer wants them back, and to which address.',
  paid_to_another_account: ({ elsewhere }) =>
    `${sumText(elsewhere)} arrived in a token account that we cannot credit: it is frozen, another key may still take the funds, or the ` +
    'address of the payment intent owns too many. The payment does not count.',
  payment_on_hold: (_facts, finding) =>
    `${sumOf(finding)} arrived and is on hold while we check it; it is in no pocket. Deliver nothing for it until we write ` +
    'to you again.',
  payment_kept: (_facts, finding) =>
    `${sumOf(finding)} arrived and was not accepted; it is in no pocket. Deliver nothing for it.`,
  listener_halted: ({ intent }) =>
    `We are checking ${intent.network} at this time, so that recent payments do not show yet. Nothing is lost; they are read ` +
    'afterwards.',
  listener_paused: ({ intent }) =>
    `We do not read ${intent.network} at this time, so that recent payments do not show yet. Nothing is lost; they are read ` +
    'afterwards, and the payment intent does not expire before.',
  network_disabled: ({ intent }) =>
    `Payments on ${intent.network} are not available at this time. Offer your customer another network with a new payment intent.`,
  token_disabled: (facts) =>
    `${place(facts)} is not available at this time. Offer your customer another token with a new payment intent.`,
  listener_behind: ({ intent }) =>
    `Payments on ${intent.network} show with a delay at this time. A payment that was made in time counts however late it ` +
    'shows.',
  finality_stalled: ({ intent }) =>
    `Payments on ${intent.network} are confirmed with a delay at this time. This one was seen and completes when the network has ` +
    'confirmed it; your customer must not pay again.',
  price_unavailable: ({ intent }) =>
    `There is no current price of ${intent.token}, so no address can be given out at this time. Try again in some minutes.`,
  no_wallets_available: ({ intent }) =>
    `No address can be given out on ${intent.network} at this moment. Try again in a minute.`,
  awaiting_outcome: () => 'Its deadline has passed, and its outcome is decided within moments.',
  awaiting_settlement: () => 'The full amount has arrived, and it completes within moments.',
  underpaid_at_end: (facts, { sentence }) =>
    `${sentence} ${arrivedText(facts)} Return it to your customer, or take the rest with a new payment intent.`,
  failed_on_hold: () =>
    'The deadline passed, and what arrived in time is on hold while we check it: it did not pay the intent. Create a new one ' +
    'if your customer still wants to pay, from another wallet.',
  expired_unpaid: () =>
    'Nothing that counts for it arrived before its deadline. Create a new one if your customer still wants to pay. What is ' +
    'sent to the old address is still credited to your pocket, unless we hold it for a check.',
  cancelled_by_system: () =>
    'We cancelled it before anything was paid. Create a new one if your customer still wants to pay.',
  webhook_dead_lettered: (_facts, { evidence: { deliveries = [] } }) =>
    `Its status is correct, but your endpoint ${deliveries[0]?.endpoint.url ?? ''} did not accept our notification, and we ` +
    'stopped trying. Once it answers with 2xx, we send it again.',
  webhook_delayed: () =>
    'Its status is correct; our notification to your endpoint is delayed. Read the payment intent meanwhile.',
  shortfall_accepted: (_facts, { sentence }) => `${sentence} Write to us to change your tolerance.`,
  paid_completed: (_facts, { sentence }) => `${sentence} Nothing is left to do for the payment.`,
};

const PAYER: Readonly<Record<VerdictCode, Sentence>> = {
  settlement_quarantined: () => `we are checking it by hand. ${NOT_AGAIN}`,
  paid_in_another_token: (facts, finding) =>
    `we received ${sumOf(finding)}, but it was to be paid in ${place(facts)}, so it could not be matched. The funds are not ` +
    'lost. Please send the shop an address of yours to which they can be returned.',
  paid_on_another_network: (facts, finding) =>
    `we received ${sumOf(finding)} on another network, but it was to be paid in ${place(facts)}, so it could not be matched. ` +
    'The funds are not lost. Please send the shop an address of yours to which they can be returned.',
  paid_to_another_account: ({ elsewhere }) =>
    `we received ${sumText(elsewhere)}, but in a token account that we cannot accept payments in, so it could not be ` +
    `matched. ${ASK_SHOP}`,
  paid_late: (_facts, finding) => `${sumOf(finding)} arrived after the time to pay had ended. ${ASK_SHOP}`,
  payment_orphaned: (_facts, finding) =>
    `the network took ${sumOf(finding)} back after we had seen it. Most such transfers arrive again by themselves within ` +
    'minutes; please do not pay again before the shop asks you to.',
  payment_on_hold: (_facts, finding) => `${sumOf(finding)} arrived and is being checked. ${ASK_SHOP}`,
  payment_kept: (_facts, finding) => `${sumOf(finding)} arrived and could not be accepted for your order. ${ASK_SHOP}`,
  listener_halted: ({ intent }) =>
    `transfers on ${intent.network} are being checked and show later than usual. ${NOT_AGAIN}`,
  listener_paused: ({ intent }) => `transfers on ${intent.network} show later than usual. ${NOT_AGAIN}`,
  network_disabled: ({ intent }) => `${intent.network} is not available at this time. ${ASK_SHOP}`,
  token_disabled: (facts) => `${place(facts)} is not available at this time. ${ASK_SHOP}`,
  listener_behind: ({ intent }) =>
    `transfers on ${intent.network} show later than usual. A transfer that you made in time counts. ${NOT_AGAIN}`,
  finality_stalled: ({ intent }) =>
    `we have seen your transfer, and ${intent.network} takes longer than usual to confirm it. ${NOT_AGAIN}`,
  price_unavailable: () => 'it cannot be started at this moment. Please try again in some minutes.',
  no_wallets_available: () => 'it cannot be started at this moment. Please try again in some minutes.',
  awaiting_outcome: () => 'the time to pay has ended, and the outcome is decided within moments.',
  awaiting_settlement: () => `it has arrived in full and completes within moments. ${NOT_AGAIN}`,
  awaiting_confirmations: ({ intent }) =>
    `we have seen your transfer in full and wait until ${intent.network} has confirmed it. ${NOT_AGAIN}`,
  part_paid: (facts, { sentence: _sentence }) =>
    `a part of it has arrived. Please send the rest, in ${place(facts)}, before the time to pay ends: ${missingText(facts)}.`,
  dust_only: (facts) => `we have not received it yet. Please send ${quotedText(facts)} on ${facts.intent.network}.`,
  confirmed_by_merchant_unpaid: (facts) => unpaid(facts),
  awaiting_address: () => 'the shop has not asked for an address to pay to yet. Please go back to its checkout.',
  not_paid: (facts) => unpaid(facts),
  underpaid_at_end: () => `less than the amount arrived before the time to pay ended. ${ASK_SHOP}`,
  failed_on_hold: () => `what arrived is being checked, and the time to pay has ended. ${ASK_SHOP}`,
  expired_unpaid: () =>
    'we received nothing before the time to pay ended. If you have sent something, please give the shop the hash of the ' +
    'transaction.',
  cancelled_by_system: () => `it was cancelled before anything was paid. ${ASK_SHOP}`,
  webhook_dead_lettered: (facts) => settled(facts),
  webhook_endpoint_disabled: (facts) => settled(facts),
  webhook_not_acknowledged: (facts) => settled(facts),
  webhook_delayed: (facts) => settled(facts),
  paid_again: (_facts, finding) => `it is paid, and ${sumOf(finding)} arrived beyond it. ${ASK_SHOP}`,
  overpaid: ({ intent }) =>
    `it is paid, with ${fiatText(BigInt(intent.overpaidCents), intent.currency)} too much. ${ASK_SHOP}`,
  shortfall_accepted: (facts) => settled(facts),
  paid_completed: (facts) => settled(facts),
  no_webhook_endpoint: (facts) => settled(facts),
};

function unpaid(facts: IntentFacts): string {
  return (
    `we have not seen a transfer yet. Please send ${quotedText(facts)} on ${facts.intent.network}; if you have done so, give ` +
    'the shop the hash of the transaction.'
  );
}

/** The state in words for a payer, to whom notifications between us and the shop mean nothing. */
function settled({ intent }: IntentFacts): string {
  if (intent.status === 'completed')
    return 'it is paid in full and confirmed. If your order does not show it, ask the shop.';
  return intent.status === 'processing'
    ? `we have seen your transfer and wait until ${intent.network} has confirmed it. ${NOT_AGAIN}`
    : `it is not completed. ${ASK_SHOP}`;
}

function missingText({ intent, payments }: IntentFacts): string {
  if (intent.quote === null) return intent.token;
  const arrived = payments
    .filter(({ late, status }) => !late && (status === 'seen' || status === 'confirmed'))
    .reduce((sum, { amount }) => sum + amount, 0n);
  const { cryptoAmount, decimals } = intent.quote;
  return amountText({ amount: cryptoAmount > arrived ? cryptoAmount - arrived : 0n, decimals, token: intent.token });
}

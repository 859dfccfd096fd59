import { OBSTACLE_CLAUSES } from '../../domain/account-obstacle.js';
import { isTerminal } from '../../domain/intent-state.js';
import { mulDivDown } from '../../domain/money.js';
import { CENTS_PER_USD, parsePrice, PRICE_DECIMALS } from '../../domain/quote.js';
import type { ElsewhereFact, IntentFacts, UnattributedFact } from './intent-verdict-facts.js';
import type { Evidence, Finding } from './intent-verdict-finding.js';
import { listText, sumText } from './intent-verdict-wording.js';

/**
 * Returns the value of `units` of a token in US cents at `price` (USD for one whole token, decimal string), rounded
 * down. Null when there is no price.
 */
export function centsAtPrice(units: bigint, decimals: number, price: string | null): bigint | null {
  const scaled = price === null ? null : parsePrice(price);
  if (scaled === null) return null;
  return mulDivDown(units, scaled * CENTS_PER_USD, 10n ** BigInt(decimals + PRICE_DECIMALS));
}

/**
 * Findings on money that arrived at the address in another token or on another network, of which less than a cent is dust, or
 * in another account of the address that cannot be credited.
 */
export function unattributedFindings(facts: IntentFacts): Finding[] {
  const notable = facts.unattributed.filter(
    ({ status, valueCents }) => status !== 'orphaned' && (valueCents === null || valueCents >= 1n),
  );
  const ofToken = notable.filter(({ reason }) => reason === 'other_token');
  const ofNetwork = notable.filter(({ reason }) => reason === 'other_network');
  return [
    ...(ofToken.length > 0 ? [inAnotherToken(facts, ofToken)] : []),
    ...(ofNetwork.length > 0 ? [onAnotherNetwork(facts, ofNetwork)] : []),
    ...(facts.elsewhere.length > 0 ? [toAnotherAccount(facts, facts.elsewhere)] : []),
  ];
}

function inAnotherToken(facts: IntentFacts, unattributed: readonly UnattributedFact[]): Finding {
  const { network, token } = facts.intent;
  return {
    code: 'paid_in_another_token',
    sentence: `${sumText(unattributed)} arrived at the address of this intent on ${network}, but it asks for ${token}.`,
    nextAction: whatToDo(facts),
    evidence: evidenceOf(facts, unattributed),
  };
}

function onAnotherNetwork(facts: IntentFacts, unattributed: readonly UnattributedFact[]): Finding {
  const { network, token } = facts.intent;
  const others = [...new Set(unattributed.map((transfer) => transfer.network))];
  // A development chain that was replaced is another chain under the same name.
  const where = others.includes(network) ? `another chain named ${listText(others)}` : listText(others);
  return {
    code: 'paid_on_another_network',
    sentence: `${sumText(unattributed)} arrived at the address of this intent on ${where}, but it asks for ${token} on ${network}.`,
    nextAction: whatToDo(facts),
    evidence: evidenceOf(facts, unattributed),
  };
}

function toAnotherAccount({ intent }: IntentFacts, elsewhere: readonly ElsewhereFact[]): Finding {
  const accounts = listText(elsewhere.map(({ account }) => account));
  const noun = elsewhere.length === 1 ? 'another token account' : 'other token accounts';
  const reasons = listText([...new Set(elsewhere.map(({ obstacle }) => OBSTACLE_CLAUSES[obstacle]))]);
  const again = isTerminal(intent.status)
    ? ''
    : 'Ask the customer to pay to the address itself, as every wallet does. ';
  return {
    code: 'paid_to_another_account',
    sentence: `${sumText(elsewhere)} arrived in ${noun} of the address of this intent, ${accounts}, and cannot be credited: ${reasons}.`,
    nextAction: `${again}Nothing of it counts while that is so. Send the token account to the operator.`,
    evidence: intent.quote === null ? {} : { address: intent.quote.address },
  };
}

function whatToDo({ intent }: IntentFacts): string {
  const again = isTerminal(intent.status)
    ? ''
    : `Ask the customer to pay as the intent asks: in ${intent.token} on ${intent.network}. `;
  return `${again}What arrived is credited to no merchant: ask the operator, with the transactions of the evidence, to return it.`;
}

function evidenceOf({ intent }: IntentFacts, payments: readonly UnattributedFact[]): Evidence {
  return { payments, ...(intent.quote !== null && { address: intent.quote.address }) };
}

import { isTerminal } from '../../domain/intent-state.js';
import { endedFindings } from './intent-verdict-ended.js';
import type { IntentFacts } from './intent-verdict-facts.js';
import { type Finding, VERDICT_CODES } from './intent-verdict-finding.js';
import { openFindings } from './intent-verdict-open.js';
import { serviceFindings } from './intent-verdict-service.js';
import { unattributedFindings } from './intent-verdict-unattributed.js';
import { webhookFindings } from './intent-verdict-webhooks.js';

/**
 * Returns all findings about an intent, the most important first (the order of `VERDICT_CODES`), each code at most
 * once. There is always at least one, and the first is the verdict.
 */
export function explainIntent(facts: IntentFacts): readonly [Finding, ...Finding[]] {
  const found = [
    ...serviceFindings(facts),
    ...unattributedFindings(facts),
    ...(isTerminal(facts.intent.status) ? endedFindings(facts) : openFindings(facts)),
    ...webhookFindings(facts),
  ].toSorted((one, other) => rankOf(one) - rankOf(other));
  const [first, ...rest] = found.filter(({ code }, index) => found[index - 1]?.code !== code);
  if (first === undefined) throw new Error(`Nothing explains an intent that is ${facts.intent.status}.`);
  return [first, ...rest];
}

const rankOf = ({ code }: Finding): number => VERDICT_CODES.indexOf(code);

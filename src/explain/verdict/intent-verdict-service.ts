import { isTerminal } from '../../domain/intent-state.js';
import type { ChainFact, IntentFacts } from './intent-verdict-facts.js';
import type { Finding } from './intent-verdict-finding.js';
import { betweenText, countText, durationText } from './intent-verdict-wording.js';

/**
 * Findings about the service: what keeps payments from being seen, addresses from being assigned, or a status from
 * being true.
 */
export function serviceFindings(facts: IntentFacts): Finding[] {
  return [...quarantine(facts), ...watching(facts), ...supply(facts)];
}

function quarantine({ quarantinedAt }: IntentFacts): Finding[] {
  if (quarantinedAt === null) return [];
  return [
    {
      code: 'settlement_quarantined',
      sentence: 'Settling this intent failed again and again, so it was set aside, and its status may be out of date.',
      nextAction:
        'Ask the operator of the service to look at it. What arrived on chain is recorded, and counts once it is ' +
        'settled again.',
      evidence: { since: quarantinedAt },
    },
  ];
}

/** Only while a payment can still appear: an intent that has ended, with final payments, needs no listener. */
function watching(facts: IntentFacts): Finding[] {
  const { intent, chain, payments } = facts;
  const isAwaited = !isTerminal(intent.status) || payments.some(({ status }) => status === 'seen');
  if (!isAwaited) return [];
  if (chain === null) return [networkDisabled(facts)];
  const findings: Finding[] = [];
  if (!chain.offersToken) findings.push(tokenDisabled(facts));
  if (chain.isHalted) findings.push(halted(facts, chain));
  else if (chain.pausedAt !== null) findings.push(paused(facts, chain, chain.pausedAt));
  else if (chain.isBehind) findings.push(behind(facts, chain));
  if (chain.isFinalityHeldUp && payments.some(({ status }) => status === 'seen')) findings.push(stalled(facts, chain));
  return findings;
}

function networkDisabled({ intent }: IntentFacts): Finding {
  const { network, quote } = intent;
  return {
    code: 'network_disabled',
    sentence:
      quote === null
        ? `The service does not offer ${network} at this time, so no address can be generated.`
        : `The service does not read the chain of this intent, ${network}, at this time: what is paid is not seen.`,
    nextAction: 'Offer the customer another network with a new intent, and ask the operator when it is served again.',
    evidence: quote === null ? {} : { address: quote.address },
  };
}

function tokenDisabled({ intent }: IntentFacts): Finding {
  const { network, token, quote } = intent;
  return {
    code: 'token_disabled',
    sentence:
      quote === null
        ? `${token} on ${network} is switched off, so no address can be generated.`
        : `${token} on ${network} was switched off after the address was given out: what is paid may not be seen.`,
    nextAction: 'Offer the customer another token with a new intent, and ask the operator when this one is back.',
    evidence: quote === null ? {} : { address: quote.address },
  };
}

function halted({ intent }: IntentFacts, chain: ChainFact): Finding {
  return {
    code: 'listener_halted',
    sentence:
      `Reading ${intent.network} was halted at block ${chain.height}, because the chain contradicted itself: what was ` +
      'paid after it does not show.',
    nextAction:
      'Tell the customer that the payment is being looked into, and ask the operator to end the halt. Everything after ' +
      'that block is read then; nothing is lost.',
    evidence: { listener: chain },
  };
}

function paused({ intent, now }: IntentFacts, chain: ChainFact, since: Date): Finding {
  return {
    code: 'listener_paused',
    sentence:
      `The operator paused reading ${intent.network} ${betweenText(now, since)} ago, at block ${chain.height}: what was paid ` +
      'after it does not show.',
    nextAction:
      'Tell the customer that the payment shows later. An administrator can resume reading; everything after that block is ' +
      'read then, and the intent does not expire before.',
    evidence: { listener: chain, since },
  };
}

function behind({ intent }: IntentFacts, chain: ChainFact): Finding {
  const blocks = Math.max(0, chain.headHeight - chain.height);
  const lag = durationText(chain.lagMs / 1000);
  return {
    code: 'listener_behind',
    sentence:
      `The listener of ${intent.network} was last in sync with the chain ${lag} ago` +
      `${blocks > 0 ? `, with ${countText(blocks, 'block')} still to be read` : ''}: what was paid may not show yet.`,
    nextAction:
      'Wait until it has caught up before you judge the payment; one that was made in time counts however late it is ' +
      'read. If the lag grows, ask the operator.',
    evidence: { listener: chain },
  };
}

function stalled({ intent, payments }: IntentFacts, chain: ChainFact): Finding {
  return {
    code: 'finality_stalled',
    sentence:
      `${intent.network} makes no block final at this time, or its nodes disagree on what is: what was paid is seen, and ` +
      'becomes final late.',
    nextAction:
      'Wait, and do not ask the customer to pay again: what came in time counts whenever it becomes final. If it lasts, ' +
      'ask the operator.',
    evidence: { listener: chain, payments: payments.filter(({ status }) => status === 'seen') },
  };
}

function supply({ intent, supply: given }: IntentFacts): Finding[] {
  if (given === null || isTerminal(intent.status)) return [];
  const findings: Finding[] = [];
  if (!given.isPriced) {
    findings.push({
      code: 'price_unavailable',
      sentence: `There is no fresh price of ${intent.token}, so no address can be generated now.`,
      nextAction:
        'Try generate-address again with backoff. If it lasts for minutes, ask the operator about the price sources.',
      evidence: {},
    });
  }
  if (!given.hasFreeAddress) {
    findings.push({
      code: 'no_wallets_available',
      sentence: `No free address is left for ${intent.network}, so none can be given out now.`,
      nextAction:
        'Try generate-address again with backoff: new addresses are derived within seconds. If it lasts, ask the ' +
        'operator whether the vault is open.',
      evidence: {},
    });
  }
  return findings;
}

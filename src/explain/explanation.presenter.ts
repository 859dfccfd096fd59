import { formatUnits } from '../domain/money.js';
import { PAYMENT_STATUS } from '../payments/intents/payment-intent.presenter.js';
import type { ChainFact, DeliveryFact, IntentFacts, TransferFact } from './verdict/intent-verdict-facts.js';
import type { Evidence, Finding } from './verdict/intent-verdict-finding.js';
import type { EvidenceObject, ExplanationObject, FindingObject } from './explanation.schema.js';

/** Anybody can send dust to an address and so create evidence: it must not enlarge the answer. */
const SHOWN_MAX = 20;

/** The findings as the API shows them. */
export function presentExplanation(
  intentId: string,
  { intent, now }: IntentFacts,
  findings: readonly [Finding, ...Finding[]],
): ExplanationObject {
  const [{ code, sentence, nextAction }] = findings;
  return {
    object: 'explanation',
    payment_intent_id: intentId,
    // `created` is passed within the creating request.
    status: intent.status === 'created' ? 'requires_action' : intent.status,
    verdict: { code, sentence, next_action: nextAction },
    findings: findings.map(presentFinding),
    checked_at: now.toISOString(),
  };
}

function presentFinding({ code, sentence, nextAction, evidence }: Finding): FindingObject {
  return { code, sentence, evidence: presentEvidence(evidence), next_action: nextAction };
}

function presentEvidence(evidence: Evidence): EvidenceObject {
  const { amounts, payments, deliveries, endpoints, events, listener, pocketId, secondsToGo } = evidence;
  return {
    ...(evidence.address !== undefined && { blockchain_address: evidence.address }),
    ...(evidence.expiresAt !== undefined && { expires_at: evidence.expiresAt.toISOString() }),
    ...(evidence.since !== undefined && { since: evidence.since.toISOString() }),
    ...(amounts !== undefined && { crypto_amounts: presentAmounts(amounts) }),
    ...(payments !== undefined && { payments: largestOf(payments).map(presentTransfer) }),
    ...(deliveries !== undefined && { deliveries: deliveries.slice(0, SHOWN_MAX).map(presentDelivery) }),
    ...(endpoints !== undefined && {
      webhook_endpoints: endpoints.map(({ id, url, isEnabled }) => ({ id, url, enabled: isEnabled })),
    }),
    ...(events !== undefined && {
      events: events.map(({ id, type, createdAt }) => ({ id, event_type: type, created_at: createdAt.toISOString() })),
    }),
    ...(listener !== undefined && { listener: presentListener(listener) }),
    ...(typeof pocketId === 'string' && { pocket_id: pocketId }),
    ...(secondsToGo !== undefined && { estimated_seconds_to_finality: secondsToGo }),
  };
}

function presentAmounts({
  expected,
  received,
  decimals,
}: NonNullable<Evidence['amounts']>): NonNullable<EvidenceObject['crypto_amounts']> {
  const missing = received < expected ? expected - received : 0n;
  const surplus = received > expected ? received - expected : 0n;
  return {
    expected: expected.toString(),
    expected_decimal: formatUnits(expected, decimals),
    received: received.toString(),
    received_decimal: formatUnits(received, decimals),
    missing: missing.toString(),
    missing_decimal: formatUnits(missing, decimals),
    surplus: surplus.toString(),
    surplus_decimal: formatUnits(surplus, decimals),
  };
}

function largestOf(transfers: readonly TransferFact[]): readonly TransferFact[] {
  const bySize = transfers.toSorted((a, b) => (a.amount < b.amount ? 1 : -1)).slice(0, SHOWN_MAX);
  return bySize.toSorted((a, b) => a.blockHeight - b.blockHeight);
}

function presentTransfer(transfer: TransferFact): NonNullable<EvidenceObject['payments']>[number] {
  return {
    tx_hash: transfer.txHash,
    from_address: transfer.from,
    network: transfer.network,
    token: transfer.token,
    amount: transfer.amount.toString(),
    amount_decimal: formatUnits(transfer.amount, transfer.decimals),
    status: PAYMENT_STATUS[transfer.status],
    confirmations: transfer.confirmations,
    required_confirmations: transfer.requiredConfirmations,
    block_number: transfer.blockHeight,
    block_time: transfer.blockTime.toISOString(),
    seen_at: transfer.seenAt.toISOString(),
  };
}

function presentDelivery(delivery: DeliveryFact): NonNullable<EvidenceObject['deliveries']>[number] {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    webhook_endpoint_id: delivery.endpoint.id,
    url: delivery.endpoint.url,
    status: delivery.status,
    attempts: delivery.attempts,
    last_attempt_at: delivery.lastAttemptAt?.toISOString() ?? null,
    last_response_status: delivery.lastStatus,
    last_error_code: delivery.lastErrorCode,
    next_attempt_at: delivery.status === 'pending' ? delivery.dueAt.toISOString() : null,
  };
}

function presentListener({ height, headHeight, lagMs }: ChainFact): NonNullable<EvidenceObject['listener']> {
  return {
    height,
    head_height: headHeight,
    blocks_behind: Math.max(0, headHeight - height),
    lag_seconds: Math.round(lagMs / 100) / 10,
  };
}

import { describeCause, suggestsWrongSecret } from '../../domain/delivery-cause.js';
import { faultNamed, faultOf, isAnswerPruned, presentAttempt } from '../../webhooks/deliveries/delivery.presenter.js';
import { sentHeaderNames, sentHeaders } from '../../webhooks/deliveries/signed-request.js';
import {
  COUNTED_MAX,
  type DeadLetterCause,
  type DeliveryHistory,
  type ShownDelivery,
} from '../../webhooks/overview/delivery-overview.service.js';
import type { DeadLetterObject, DeliveryDetail, DeliveryObject } from './deliveries.schema.js';

const timeOf = (text: string): string => new Date(text).toISOString();
const nextAttemptOf = (row: ShownDelivery): string | null => (row.status === 'pending' ? timeOf(row.dueAt) : null);

/** The cause of a dead letter as its status, its fault and a sentence. */
export function presentCause(cause: string) {
  const responseStatus = /^\d+$/.test(cause) ? Number(cause) : null;
  const fault = responseStatus === null ? faultNamed(cause) : null;
  const known = { responseStatus, fault };
  return {
    response_status: responseStatus,
    fault,
    sentence: describeCause(known),
    probably_wrong_secret: suggestsWrongSecret(known),
  };
}

/** A delivery as lists show it. */
export function presentDelivery(row: ShownDelivery): DeliveryObject {
  const fault = faultOf(row.lastErrorCode);
  const isUnacknowledged = row.attempts > 0 && row.status !== 'delivered';
  return {
    id: row.id,
    object: 'delivery',
    environment: row.environment,
    merchant_id: row.merchantId,
    merchant_name: row.merchantName,
    endpoint_id: row.endpointId,
    endpoint_url: row.endpointUrl,
    endpoint_enabled: row.endpointEnabled,
    endpoint_deleted: row.endpointDeleted,
    event_id: row.eventId,
    event_type: row.eventType,
    resource_id: row.resourceId,
    status: row.status,
    series: row.series,
    superseded: row.superseded,
    attempt_count: row.attempts,
    last_response_status: row.lastResponseStatus,
    last_fault: fault,
    last_cause: isUnacknowledged ? describeCause({ responseStatus: row.lastResponseStatus, fault }) : null,
    next_attempt_at: nextAttemptOf(row),
    replay_job_id: row.replayJobId,
    created_at: timeOf(row.createdAt),
    finished_at: row.finishedAt === null ? null : timeOf(row.finishedAt),
  };
}

const isAcknowledged = (status: number | null): boolean => status !== null && status >= 200 && status <= 299;

/** Why an attempt failed; null when the receiver acknowledged it. */
const causeOf = ({ responseStatus, errorCode }: DeliveryHistory['attempts'][number]): string | null =>
  isAcknowledged(responseStatus) ? null : describeCause({ responseStatus, fault: faultOf(errorCode) });

/** A delivery with its event and every attempt; `requestedBy` names the members of staff by job. */
export function presentHistory(
  { delivery, series, attempts, body }: DeliveryHistory,
  requestedBy: ReadonlyMap<string, string>,
): DeliveryDetail {
  const sent = sentHeaderNames(delivery.traceparent);
  const allSeries = series.map((one) => ({
    delivery_id: one.id,
    number: one.series,
    status: one.status,
    attempt_count: one.attempts,
    created_at: timeOf(one.createdAt),
    next_attempt_at: nextAttemptOf(one),
    replay_job_id: one.replayJobId,
    requested_by: one.replayJobId === null ? null : (requestedBy.get(one.replayJobId) ?? null),
    attempts: attempts
      .filter((attempt) => attempt.deliveryId === one.id)
      .map((attempt) => ({
        ...presentAttempt(attempt, sent),
        signed_at: Number(attempt.signedAt),
        cause: causeOf(attempt),
        answer_pruned: isAnswerPruned(attempt),
      })),
  }));
  const requestHeaders = sentHeaders(delivery.eventId, delivery.traceparent);
  return { ...presentDelivery(delivery), body, request_headers: requestHeaders, all_series: allSeries.toReversed() };
}

/** A group of dead letters by endpoint and cause. */
export function presentDeadLetters(row: DeadLetterCause): DeadLetterObject {
  const count = Number(row.count);
  return {
    id: `${row.endpointId}:${row.cause}`,
    object: 'dead_letter_cause',
    endpoint_id: row.endpointId,
    endpoint_url: row.url,
    endpoint_enabled: row.enabled,
    endpoint_deleted: row.isDeleted,
    endpoint_disabled_reason: row.disabledReason,
    endpoint_failing_since: row.failingSince === null ? null : timeOf(row.failingSince),
    merchant_id: row.merchantId,
    merchant_name: row.merchantName,
    ...presentCause(row.cause),
    count: Math.min(count, COUNTED_MAX),
    count_is_more: count > COUNTED_MAX,
    since: timeOf(row.since),
    latest: timeOf(row.latest),
    latest_delivery_id: row.latestId,
  };
}

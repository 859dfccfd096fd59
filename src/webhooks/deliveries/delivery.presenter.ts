import type { DeliveryFault } from '../../domain/delivery-cause.js';
import type { RowOf } from '../../platform/sql/sql.js';
import type { AttemptErrorCode } from './attempt.js';
import type { DeliveryAttempt } from './delivery-attempt.entity.js';
import type { findDelivery } from './delivery-page.sql.js';
import type { DeliveryAttemptObject, DeliveryObject, DeliveryWithAttemptsObject } from './delivery.schema.js';
import { sentHeaderNames } from './signed-request.js';

/** The columns of a shown delivery. */
export type DeliveryRow = RowOf<typeof findDelivery>;

const FAULTS: Readonly<Record<AttemptErrorCode, DeliveryFault>> = {
  dns: 'dns',
  tls: 'tls',
  connect: 'refused',
  timeout: 'timeout',
  reset: 'reset',
  protocol: 'protocol',
  refused_target: 'target_not_allowed',
  internal: 'internal',
};

/** Errors that occur before any byte of the request is sent. */
const NEVER_SENT: ReadonlySet<AttemptErrorCode | null> = new Set([
  'dns',
  'tls',
  'connect',
  'refused_target',
  'internal',
]);

/** Returns the fault that a cause of dead letters names; null when it names none. */
export const faultNamed = (cause: string): DeliveryFault | null =>
  Object.entries(FAULTS).find(([code]) => code === cause)?.[1] ?? null;

/** Returns the API's name of an error. */
export const faultOf = (code: AttemptErrorCode | null): DeliveryFault | null => (code === null ? null : FAULTS[code]);
const timestampOf = (text: string): string => new Date(text).toISOString();

/** Returns the API's object of a delivery. */
export function presentDelivery(row: DeliveryRow): DeliveryObject {
  return {
    id: row.id,
    object: 'delivery',
    environment: row.environment,
    endpoint_id: row.endpointId,
    event_id: row.eventId,
    event_type: row.eventType,
    status: row.status,
    series: row.series,
    superseded: row.superseded,
    attempt_count: row.attempts,
    next_attempt_at: row.status === 'pending' ? timestampOf(row.dueAt) : null,
    last_response_status: row.lastResponseStatus,
    last_fault: faultOf(row.lastErrorCode),
    created_at: timestampOf(row.createdAt),
    finished_at: row.finishedAt === null ? null : timestampOf(row.finishedAt),
  };
}

/** Returns the API's object of a delivery with its attempts. */
export function presentDeliveryWithAttempts(
  row: DeliveryRow,
  attempts: readonly DeliveryAttempt[],
): DeliveryWithAttemptsObject {
  const sent = sentHeaderNames(row.traceparent);
  return { ...presentDelivery(row), attempts: attempts.map((attempt) => presentAttempt(attempt, sent)) };
}

/** Returns whether the answer to an attempt is no longer kept: every answer had headers, if only none of them. */
export const isAnswerPruned = ({ responseStatus, responseHeaders }: DeliveryAttempt): boolean =>
  responseStatus !== null && responseHeaders === null;

/** Returns the API's object of an attempt; `sent` are the names of the headers. */
export function presentAttempt(row: DeliveryAttempt, sent: readonly string[]): DeliveryAttemptObject {
  return {
    number: row.number,
    started_at: row.startedAt.toISOString(),
    duration_ms: row.durationMs,
    request_headers: NEVER_SENT.has(row.errorCode) ? [] : [...sent],
    response_status: row.responseStatus,
    response_headers: row.responseHeaders,
    response_body: row.responseBody,
    fault: faultOf(row.errorCode),
    fault_message: row.errorMessage,
  };
}

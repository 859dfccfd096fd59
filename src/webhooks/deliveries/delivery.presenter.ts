import type { DeliveryStatus } from '../../domain/delivery-status.js';
import type { EventType } from '../../domain/event-type.js';
import type { Environment } from '../../domain/network.js';
import type { OutboundErrorCode } from '../../platform/outbound/outbound-fault.js';
import type {
  DeliveryAttemptObject,
  DeliveryFault,
  DeliveryObject,
  DeliveryWithAttemptsObject,
} from './delivery.schema.js';
import { sentHeaderNames } from './signed-request.js';

type ErrorCode = OutboundErrorCode | 'internal';

/** The columns of a shown delivery. */
export interface DeliveryRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly environment: Environment;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly event_type: EventType;
  readonly status: DeliveryStatus;
  readonly series: number;
  readonly superseded: boolean;
  readonly attempts: number;
  readonly due_at: string;
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly traceparent: string | null;
  readonly last_response_status: number | null;
  readonly last_error_code: ErrorCode | null;
}

/** The columns of a shown attempt. */
export interface AttemptRow {
  readonly number: number;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly response_status: number | null;
  readonly error_code: ErrorCode | null;
  readonly error_message: string | null;
  readonly response_headers: Readonly<Record<string, string>> | null;
  readonly response_body: string | null;
}

const FAULTS: Readonly<Record<ErrorCode, DeliveryFault>> = {
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
const NEVER_SENT: ReadonlySet<ErrorCode | null> = new Set(['dns', 'tls', 'connect', 'refused_target', 'internal']);

const faultOf = (code: ErrorCode | null): DeliveryFault | null => (code === null ? null : FAULTS[code]);
const timestampOf = (text: string): string => new Date(text).toISOString();

/** Returns the API's object of a delivery. */
export function presentDelivery(row: DeliveryRow): DeliveryObject {
  return {
    id: row.id,
    object: 'delivery',
    environment: row.environment,
    endpoint_id: row.endpoint_id,
    event_id: row.event_id,
    event_type: row.event_type,
    status: row.status,
    series: row.series,
    superseded: row.superseded,
    attempt_count: row.attempts,
    next_attempt_at: row.status === 'pending' ? timestampOf(row.due_at) : null,
    last_response_status: row.last_response_status,
    last_fault: faultOf(row.last_error_code),
    created_at: timestampOf(row.created_at),
    finished_at: row.finished_at === null ? null : timestampOf(row.finished_at),
  };
}

/** Returns the API's object of a delivery with its attempts. */
export function presentDeliveryWithAttempts(
  row: DeliveryRow,
  attempts: readonly AttemptRow[],
): DeliveryWithAttemptsObject {
  const sent = sentHeaderNames(row.traceparent);
  return { ...presentDelivery(row), attempts: attempts.map((attempt) => presentAttempt(attempt, sent)) };
}

function presentAttempt(row: AttemptRow, sent: readonly string[]): DeliveryAttemptObject {
  return {
    number: row.number,
    started_at: timestampOf(row.started_at),
    duration_ms: row.duration_ms,
    request_headers: NEVER_SENT.has(row.error_code) ? [] : [...sent],
    response_status: row.response_status,
    response_headers: row.response_headers,
    response_body: row.response_body,
    fault: faultOf(row.error_code),
    fault_message: row.error_message,
  };
}

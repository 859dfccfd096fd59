import { ATTEMPTS_MAX, RETRY_BASE_MS, retryDelayMs } from '../../domain/webhook-retry-schedule.js';
import type { DeliveryAttemptObject, DeliveryObject, DeliveryWithAttemptsObject } from './delivery.schema.js';
import { sentHeaderNames } from './signed-request.js';

const ATTEMPTS = Array.from({ length: ATTEMPTS_MAX }, (_, index) => index + 1);

const delivered: DeliveryObject = {
  id: 'dlv_01jd2v8w3q4r5s6t7v8w9x0y1z',
  object: 'delivery',
  environment: 'sandbox',
  endpoint_id: 'we_01jd2v8w3q4r5s6t7v8w9x0y1z',
  event_id: 'evt_01jd2v8w3q4r5s6t7v8w9x0y1z',
  event_type: 'payment_intent.completed',
  status: 'delivered',
  series: 1,
  superseded: false,
  attempt_count: 1,
  next_attempt_at: null,
  last_response_status: 204,
  last_fault: null,
  created_at: '2026-01-31T12:00:00.000Z',
  finished_at: '2026-01-31T12:00:00.120Z',
};

const ATTEMPT_MS = 84;

/** The time `ms` milliseconds after the start of an attempt; earlier attempts and the pauses after them come first. */
function timeIn(attempt: number, ms: number): string {
  const pauses = ATTEMPTS.slice(0, attempt - 1).map((earlier) => retryDelayMs(earlier, RETRY_BASE_MS) ?? 0);
  return new Date(Date.parse(delivered.created_at) + pauses.reduce((sum, pause) => sum + pause, 0) + ms).toISOString();
}

const failedAttempt = (number: number): DeliveryAttemptObject => ({
  number,
  started_at: timeIn(number, 0),
  duration_ms: ATTEMPT_MS,
  request_headers: sentHeaderNames(null),
  response_status: 401,
  response_headers: { 'content-type': 'text/plain' },
  response_body: 'signature mismatch',
  fault: null,
  fault_message: null,
});

const deadLetter: DeliveryWithAttemptsObject = {
  ...delivered,
  status: 'dead_letter',
  attempt_count: ATTEMPTS_MAX,
  last_response_status: 401,
  finished_at: timeIn(ATTEMPTS_MAX, ATTEMPT_MS),
  attempts: ATTEMPTS.map(failedAttempt),
};

const retried: DeliveryObject = {
  ...delivered,
  id: 'dlv_01jd2x8w3q4r5s6t7v8w9x0y1z',
  status: 'pending',
  series: 2,
  attempt_count: 0,
  next_attempt_at: '2026-01-31T12:40:00.000Z',
  last_response_status: null,
  created_at: '2026-01-31T12:40:00.000Z',
  finished_at: null,
};

/** Examples of the documentation: a delivery in each stage. */
export const deliveryExample = { delivered, deadLetter, retried };

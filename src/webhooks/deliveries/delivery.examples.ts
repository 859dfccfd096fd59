import { ATTEMPTS_MAX, retryDelayMs } from '../../domain/webhook-retry-schedule.js';
import type {
  DeliveryAttemptObject,
  DeliveryObject,
  DeliveryWithAttemptsObject,
  WebhookRecoveryObject,
} from './delivery.schema.js';
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

const failedAttempt = (number: number): DeliveryAttemptObject => {
  const waited = ATTEMPTS.slice(0, number - 1).reduce((sum, earlier) => sum + (retryDelayMs(earlier) ?? 0), 0);
  const minutes = waited / 60_000;
  return {
    number,
    started_at: `2026-01-31T12:${String(minutes).padStart(2, '0')}:00.000Z`,
    duration_ms: 84,
    request_headers: sentHeaderNames(null),
    response_status: 401,
    response_headers: { 'content-type': 'text/plain' },
    response_body: 'signature mismatch',
    fault: null,
    fault_message: null,
  };
};

const deadLetter: DeliveryWithAttemptsObject = {
  ...delivered,
  status: 'dead_letter',
  attempt_count: ATTEMPTS_MAX,
  last_response_status: 401,
  finished_at: '2026-01-31T12:31:00.084Z',
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

const recovery: WebhookRecoveryObject = {
  id: 'rec_01jd2x8w3q4r5s6t7v8w9x0y1z',
  object: 'webhook_recovery',
  webhook_endpoint_id: delivered.endpoint_id,
  since: '2026-01-31T00:00:00.000Z',
  status: 'queued',
  created_at: '2026-01-31T12:40:00.000Z',
};

/** Examples of the documentation: a delivery in each stage. */
export const deliveryExample = { delivered, deadLetter, retried, recovery };

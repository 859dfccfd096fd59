import type { DeadLetterObject, DeliveryDetail, DeliveryObject } from './deliveries.schema.js';
import type { ReplayJobObject, ReplayPreviewObject } from './replay.schema.js';

const ENDPOINT = {
  endpoint_id: 'we_01jqzk8v6m3n5p7r9t1w2x4y6z',
  endpoint_url: 'https://shop.example.com/webhooks',
  endpoint_enabled: true,
  endpoint_deleted: false,
  merchant_id: 'mer_01jqzk8v6m3n5p7r9t1w2x4y6z',
  merchant_name: 'Shop',
} as const;

export const deliveryExample: DeliveryObject = {
  id: 'dlv_01jqzk8v6m3n5p7r9t1w2x4y6z',
  object: 'delivery',
  environment: 'sandbox',
  ...ENDPOINT,
  event_id: 'evt_01jqzk8v6m3n5p7r9t1w2x4y6z',
  event_type: 'payment_intent.completed',
  resource_id: 'pi_01jqzk8v6m3n5p7r9t1w2x4y6z',
  status: 'dead_letter',
  series: 1,
  superseded: false,
  attempt_count: 6,
  last_response_status: 401,
  last_fault: null,
  last_cause: '401: probably a wrong secret',
  next_attempt_at: null,
  replay_job_id: null,
  created_at: '2026-01-31T09:14:00.000Z',
  finished_at: '2026-01-31T10:15:00.000Z',
};

export const deliveryDetailExample: DeliveryDetail = {
  ...deliveryExample,
  body: '{"id":"evt_..."}',
  request_headers: {
    'content-type': 'application/json',
    'user-agent': 'Coffer/1',
    'webhook-id': deliveryExample.event_id,
    'x-webhook-signature': null,
  },
  all_series: [],
};

export const deadLetterExample: DeadLetterObject = {
  id: `${ENDPOINT.endpoint_id}:401`,
  object: 'dead_letter_cause',
  ...ENDPOINT,
  endpoint_disabled_reason: null,
  endpoint_failing_since: '2026-01-31T09:14:00.000Z',
  response_status: 401,
  fault: null,
  sentence: '401: probably a wrong secret',
  probably_wrong_secret: true,
  count: 812,
  count_is_more: false,
  since: '2026-01-31T09:14:00.000Z',
  latest: '2026-01-31T11:59:00.000Z',
  latest_delivery_id: deliveryExample.id,
};

export const replayPreviewExample: ReplayPreviewObject = {
  object: 'replay_preview',
  sendable: 812,
  blocked: 0,
  count_is_more: false,
  warnings: ['probably_wrong_secret'],
  endpoints: [
    {
      id: ENDPOINT.endpoint_id,
      url: ENDPOINT.endpoint_url,
      merchant_id: ENDPOINT.merchant_id,
      merchant_name: ENDPOINT.merchant_name,
      enabled: true,
      count: 812,
      cause: '401: probably a wrong secret',
      probably_wrong_secret: true,
    },
  ],
};

export const replayJobExample: ReplayJobObject = {
  id: 'rpl_01jqzk8v6m3n5p7r9t1w2x4y6z',
  object: 'replay_job',
  verb: 'recover',
  title: 'Recover dead letters of shop.example/webhooks',
  status: 'running',
  filter: { endpoint_id: ENDPOINT.endpoint_id, status: 'dead_letter' },
  requested_by: 'kim@example.com',
  reason: 'The merchant has fixed the receiver.',
  endpoints: 1,
  sent: 400,
  delivered: 380,
  failed_again: 0,
  waiting: 20,
  skipped: 0,
  created_at: '2026-01-31T12:00:00.000Z',
  finished_at: null,
};

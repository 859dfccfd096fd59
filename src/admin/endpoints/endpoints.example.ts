import type { EndpointDetail, EndpointObject } from './endpoints.schema.js';

export const endpointExample: EndpointObject = {
  id: 'we_01jqzk8v6m3n5p7r9t1w2x4y6z',
  object: 'webhook_endpoint',
  merchant_id: 'mer_01jqzk8v6m3n5p7r9t1w2x4y6z',
  merchant_name: 'Shop',
  url: 'https://shop.example.com/webhooks',
  description: null,
  event_types: ['payment_intent.completed', 'withdrawal.completed'],
  enabled: true,
  disabled_reason: null,
  failing_since: '2026-01-31T09:14:00.000Z',
  last_success_at: '2026-01-31T09:10:00.000Z',
  dead_letters: 812,
  previous_secret_expires_at: null,
  created_at: '2026-01-01T12:00:00.000Z',
};

export const endpointDetailExample: EndpointDetail = {
  ...endpointExample,
  last_24_hours: { delivered: 9_120, dead_lettered: 812, retrying: 3 },
  dead_since: '2026-01-31T09:14:00.000Z',
};

import type { WebhookEndpointView, WebhookEndpointWithSecret } from './webhook-endpoint.view.js';

const endpoint: WebhookEndpointView = {
  id: 'we_01jd2v8w3q4r5s6t7v8w9x0y1z',
  object: 'webhook_endpoint',
  environment: 'sandbox',
  url: 'https://example.com/webhooks',
  description: 'Orders',
  event_types: ['payment_intent.completed', 'withdrawal.completed'],
  enabled: true,
  disabled_reason: null,
  previous_secret_expires_at: null,
  last_success_at: '2026-01-31T12:10:00.000Z',
  failing_since: null,
  dead_letters: 0,
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
};

const created: WebhookEndpointWithSecret = {
  ...endpoint,
  last_success_at: null,
  secret: `whsec_${'EXAMPLE'.repeat(6)}0`,
};

const rotated: WebhookEndpointWithSecret = {
  ...created,
  previous_secret_expires_at: '2026-02-01T12:00:00.000Z',
  updated_at: '2026-01-31T12:30:00.000Z',
};

/** One endpoint through its life: examples of the documentation. */
export const webhookEndpointExample = { endpoint, created, rotated };

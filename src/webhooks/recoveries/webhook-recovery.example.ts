import { deliveryExample } from '../deliveries/delivery.examples.js';
import type { WebhookRecoveryObject } from './webhook-recovery.schema.js';

/** The example of the documentation: a recovery that was requested. */
export const webhookRecoveryExample: WebhookRecoveryObject = {
  id: 'rec_01jd2x8w3q4r5s6t7v8w9x0y1z',
  object: 'webhook_recovery',
  webhook_endpoint_id: deliveryExample.delivered.endpoint_id,
  since: '2026-01-31T00:00:00.000Z',
  status: 'queued',
  created_at: '2026-01-31T12:40:00.000Z',
};

import { z } from 'zod';
import { bodyOf, timestampText } from '../../http/request-schema.js';
import { RECOVERY_STATUSES } from './webhook-recovery.entity.js';

/** Body of POST /v1/webhook-endpoints/:id/recover. */
export const recoverWebhookEndpointBody = bodyOf({
  since: timestampText().meta({
    description: 'The time of the first event to recover (its `created_at`): a date-time with a zone, or a date.',
  }),
}).meta({ id: 'RecoverWebhookEndpoint' });
export type RecoverWebhookEndpointBody = z.infer<typeof recoverWebhookEndpointBody>;

const timestamp = z.iso.datetime({ precision: 3 });

/** The answer to a recovery request, which a worker carries out. */
export const webhookRecoverySchema = z
  .strictObject({
    id: z.string().meta({ description: '`rec_...`' }),
    object: z.literal('webhook_recovery').meta({ description: 'Always `webhook_recovery`.' }),
    webhook_endpoint_id: z.string().meta({ description: 'The endpoint whose deliveries are recovered.' }),
    since: timestamp.meta({ description: 'Events from this moment on are recovered.' }),
    status: z.enum(RECOVERY_STATUSES).meta({
      description: '`queued`: a worker makes the deliveries due, usually within seconds.',
    }),
    created_at: timestamp.meta({ description: 'When it was requested. Deliveries created later are not part of it.' }),
  })
  .meta({ id: 'WebhookRecovery' });
export type WebhookRecoveryObject = z.infer<typeof webhookRecoverySchema>;

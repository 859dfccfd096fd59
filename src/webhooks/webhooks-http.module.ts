import { Module } from '@nestjs/common';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { WebhookEndpointActionsController } from './endpoints/webhook-endpoint-actions.controller.js';
import { WebhookEndpointsController } from './endpoints/webhook-endpoints.controller.js';
import { WebhookRecoveriesController } from './recoveries/webhook-recoveries.controller.js';
import { WebhooksModule } from './webhooks.module.js';

/** Webhook endpoints and deliveries over HTTP. */
@Module({
  imports: [WebhooksModule],
  controllers: [
    WebhookEndpointsController,
    WebhookEndpointActionsController,
    WebhookRecoveriesController,
    DeliveriesController,
  ],
})
export class WebhooksHttpModule {}

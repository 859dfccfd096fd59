import { Module } from '@nestjs/common';
import { DeliveryReader } from './deliveries/delivery-reader.service.js';
import { DeliveryRetryService } from './deliveries/delivery-retry.service.js';
import { MissingDeliveriesService } from './deliveries/missing-deliveries.service.js';
import { EndpointRecoveryService } from './endpoints/endpoint-recovery.service.js';

/** Webhook deliveries: listed, sent again, recovered. */
@Module({
  providers: [DeliveryReader, DeliveryRetryService, EndpointRecoveryService, MissingDeliveriesService],
  exports: [DeliveryReader, DeliveryRetryService, EndpointRecoveryService, MissingDeliveriesService],
})
export class WebhookOperationsModule {}

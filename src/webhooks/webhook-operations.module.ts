import { Module } from '@nestjs/common';
import { DeliveryReader } from './deliveries/delivery-reader.service.js';
import { DeliveryResend } from './deliveries/delivery-resend.service.js';
import { MissingDeliveriesService } from './recoveries/missing-deliveries.service.js';
import { EndpointRecoveryService } from './recoveries/endpoint-recovery.service.js';

/** Webhook deliveries: listed, sent again, recovered. */
@Module({
  providers: [DeliveryReader, DeliveryResend, EndpointRecoveryService, MissingDeliveriesService],
  exports: [DeliveryReader, DeliveryResend, EndpointRecoveryService, MissingDeliveriesService],
})
export class WebhookOperationsModule {}

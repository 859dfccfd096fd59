import { Module } from '@nestjs/common';
import { DeliveryReader } from './deliveries/delivery-reader.service.js';
import { DeliveryResend } from './deliveries/delivery-resend.service.js';
import { ReplaySignals } from './deliveries/replay-signals.js';
import { DeliveryOverview } from './overview/delivery-overview.service.js';
import { EndpointRecoveryService } from './recoveries/endpoint-recovery.service.js';
import { MissingDeliveriesService } from './recoveries/missing-deliveries.service.js';
import { ReplayFeeder } from './replays/replay-feeder.service.js';
import { ReplayJobs } from './replays/replay-jobs.service.js';
import { ReplayPreviews } from './replays/replay-preview.service.js';

const SERVICES = [
  DeliveryReader,
  DeliveryResend,
  DeliveryOverview,
  EndpointRecoveryService,
  MissingDeliveriesService,
  ReplaySignals,
  ReplayJobs,
  ReplayFeeder,
  ReplayPreviews,
];

/** Webhook deliveries: listed, sent again, recovered. */
@Module({ providers: SERVICES, exports: SERVICES })
export class WebhookOperationsModule {}

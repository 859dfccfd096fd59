import { type BeforeApplicationShutdown, Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { DELIVERY_FANOUT } from '../events/delivery-fanout.js';
import { EventsModule } from '../events/events.module.js';
import { RelayService } from '../events/relay.service.js';
import { CONFIG, type Config } from '../platform/config.js';
import { DelivererService } from './deliveries/deliverer.service.js';
import { DeliveryClaimsService } from './deliveries/delivery-claims.service.js';
import { DeliveryFanoutService } from './deliveries/delivery-fanout.service.js';
import { AttemptPruning } from './deliveries/attempt-pruning.service.js';
import { AttemptRecorder } from './deliveries/attempt-recorder.service.js';
import { DeliverySender } from './deliveries/delivery-sender.service.js';
import { EndpointHealthService } from './endpoints/endpoint-health.service.js';
import { EndpointOperations } from './endpoints/endpoint-operations.service.js';
import { EndpointSecrets } from './endpoints/endpoint-secrets.js';
import { WebhookEndpointsService } from './endpoints/webhook-endpoints.service.js';
import { NewTargetCheck } from './endpoints/new-target.check.js';
import { WebhookTargets } from './endpoints/webhook-targets.js';
import { WebhookOperationsModule } from './webhook-operations.module.js';

/** Notifies merchants of events. It starts the deliverer, which polls at the times when deliveries are due. */
@Module({
  imports: [EventsModule, WebhookOperationsModule],
  providers: [
    { provide: DELIVERY_FANOUT, useClass: DeliveryFanoutService },
    RelayService,
    WebhookTargets,
    NewTargetCheck,
    EndpointSecrets,
    WebhookEndpointsService,
    EndpointOperations,
    EndpointHealthService,
    DeliveryClaimsService,
    DeliverySender,
    AttemptRecorder,
    AttemptPruning,
    DelivererService,
  ],
  exports: [
    WebhookOperationsModule,
    WebhookEndpointsService,
    EndpointOperations,
    WebhookTargets,
    RelayService,
    DelivererService,
  ],
})
export class WebhooksModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly deliverer: DelivererService,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.roles.has('worker')) this.deliverer.start();
  }

  /** Runs before the database closes, so that attempts in flight are still recorded. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.deliverer.stop();
  }
}

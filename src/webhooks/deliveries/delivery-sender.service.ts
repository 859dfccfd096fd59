import { Injectable, Logger } from '@nestjs/common';
import { failpoint } from '../../platform/failpoints.js';
import { OutboundClient } from '../../platform/outbound/outbound-client.js';
import { type Attempt, attemptFrom, internalFailure } from './attempt.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { EndpointSecrets } from '../endpoints/endpoint-secrets.js';
import { signedRequest } from './signed-request.js';
import { WebhookTargets } from '../endpoints/webhook-targets.js';

/** Makes one attempt: signs the stored body, posts it, and returns the outcome. */
@Injectable()
export class DeliverySender {
  private readonly logger = new Logger(DeliverySender.name);

  constructor(
    private readonly secrets: EndpointSecrets,
    private readonly targets: WebhookTargets,
    private readonly outbound: OutboundClient,
  ) {}

  /** Never throws: a failure of the receiver and an error of ours are both outcomes, and the attempt says which it was. */
  async send(delivery: ClaimedDelivery): Promise<Attempt> {
    const { endpoint, claimedAt } = delivery;
    const startedAt = claimedAt.now();
    const timing = { startedAt, signedAt: Math.floor(startedAt.getTime() / 1000) };
    try {
      const secrets = endpoint.sealedSecrets.map((sealed) => this.secrets.open(endpoint.id, sealed));
      const request = signedRequest(delivery, secrets, timing.signedAt);
      failpoint('hook.before_send');
      const result = await this.outbound.post(request, this.targets.policyFor(endpoint.environment));
      failpoint('hook.sent_before_save');
      return attemptFrom(result, timing);
    } catch (error) {
      this.logger.error({
        msg: 'A webhook could not be sent because of an internal error.',
        delivery_id: delivery.id,
        err: error,
      });
      return internalFailure(timing);
    }
  }
}

import { Injectable } from '@nestjs/common';
import type { Tenant } from '../../domain/tenant.js';
import type { NetworkCheck } from '../../idempotency/write-options.js';
import type { CreateWebhookEndpointBody } from './webhook-endpoint.schema.js';
import { WebhookTargets } from './webhook-targets.js';

/** Checks the URL of a new endpoint before the write's transaction, because it queries DNS. */
@Injectable()
export class NewTargetCheck implements NetworkCheck<CreateWebhookEndpointBody> {
  constructor(private readonly targets: WebhookTargets) {}

  beforeTransaction({ environment }: Tenant, { url }: CreateWebhookEndpointBody): Promise<void> {
    return this.targets.assertAllowed(environment, url);
  }
}

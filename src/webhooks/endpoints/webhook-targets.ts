import { Inject, Injectable } from '@nestjs/common';
import type { Environment } from '../../domain/network.js';
import { CONFIG, type Config } from '../../platform/config.js';
import { OutboundClient } from '../../platform/outbound/outbound-client.js';
import type { TargetPolicy } from '../../platform/outbound/target-address.js';
import { parseTargetUrl } from '../../platform/outbound/target-url.js';

/** Decides which targets an endpoint may have. */
@Injectable()
export class WebhookTargets {
  constructor(
    private readonly outbound: OutboundClient,
    @Inject(CONFIG) private readonly config: Pick<Config, 'webhooks'>,
  ) {}

  policyFor(environment: Environment): TargetPolicy {
    return { environment, allowPrivate: this.config.webhooks.allowPrivateTargets };
  }

  /**
   * Refuses a URL that may not be registered (`invalid_request`, param `url`). It queries DNS, so call it before the
   * transaction. Every connection is checked again.
   */
  async assertAllowed(environment: Environment, url: string): Promise<void> {
    const policy = this.policyFor(environment);
    await this.outbound.assertTargetAllowed(parseTargetUrl(url, policy), policy);
  }
}

import type { Environment } from '../../domain/network.js';

/** Limits webhooks to a merchant and an environment: the API sets both, an operator's command may leave them out. */
export interface WebhookScope {
  readonly merchantId?: string | undefined;
  readonly environment?: Environment | undefined;
}

import type { Environment } from '../domain/network.js';
import type { DisabledReason, WebhookEndpoint } from './webhook-endpoint.entity.js';

/** An endpoint as the API shows it: without its secret. */
export interface WebhookEndpointView {
  readonly id: string;
  readonly object: 'webhook_endpoint';
  readonly environment: Environment;
  readonly url: string;
  readonly description: string | null;
  readonly event_types: readonly string[];
  readonly enabled: boolean;
  readonly disabled_reason: DisabledReason | null;
  readonly previous_secret_expires_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The answers to creation and rotation, and to nothing else. */
export type WebhookEndpointWithSecret = WebhookEndpointView & { readonly secret: string };

/** The API's object of an endpoint. */
export function presentEndpoint(endpoint: WebhookEndpoint): WebhookEndpointView {
  return {
    id: endpoint.id,
    object: 'webhook_endpoint',
    environment: endpoint.environment,
    url: endpoint.url,
    description: endpoint.description,
    event_types: endpoint.eventTypes,
    enabled: endpoint.enabled,
    disabled_reason: endpoint.disabledReason,
    previous_secret_expires_at: endpoint.previousSecretExpiresAt?.toISOString() ?? null,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
  };
}

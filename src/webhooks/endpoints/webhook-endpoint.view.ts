import type { Environment } from '../../domain/network.js';
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
  readonly last_success_at: string | null;
  readonly failing_since: string | null;
  readonly dead_letters: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The answer to creation and rotation only. */
export type WebhookEndpointWithSecret = WebhookEndpointView & { readonly secret: string };

/** Returns the API's object of an endpoint. @param deadLetters As `deadLettersOf` counts them. */
export function presentEndpoint(endpoint: WebhookEndpoint, deadLetters: number): WebhookEndpointView {
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
    last_success_at: endpoint.lastSuccessAt?.toISOString() ?? null,
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    dead_letters: deadLetters,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
  };
}

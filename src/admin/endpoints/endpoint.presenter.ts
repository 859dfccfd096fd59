import type { EndpointOfMerchant, RecentResults } from '../../webhooks/endpoints/endpoint-operations.service.js';
import { presentEndpoint as presentForMerchant } from '../../webhooks/endpoints/webhook-endpoint.view.js';
import type { EndpointDetail, EndpointObject } from './endpoints.schema.js';

/** An endpoint as lists show it; never its secret. */
export function presentEndpoint({ endpoint, merchantName, deadLetters }: EndpointOfMerchant): EndpointObject {
  const shown = presentForMerchant(endpoint, deadLetters);
  return {
    id: shown.id,
    object: 'webhook_endpoint',
    merchant_id: endpoint.merchantId,
    merchant_name: merchantName,
    url: shown.url,
    description: shown.description,
    event_types: [...shown.event_types],
    enabled: shown.enabled,
    disabled_reason: shown.disabled_reason,
    failing_since: shown.failing_since,
    last_success_at: shown.last_success_at,
    dead_letters: shown.dead_letters,
    previous_secret_expires_at: shown.previous_secret_expires_at,
    created_at: shown.created_at,
  };
}

/** An endpoint with its results of the last 24 hours. */
export function presentEndpointDetail(found: EndpointOfMerchant & { readonly recent: RecentResults }): EndpointDetail {
  const { delivered, failed, retrying, deadSince } = found.recent;
  const recent = { delivered: Number(delivered), dead_lettered: Number(failed), retrying: Number(retrying) };
  return {
    ...presentEndpoint(found),
    last_24_hours: recent,
    dead_since: deadSince === null ? null : new Date(deadSince).toISOString(),
  };
}

import { signWebhook } from '../domain/webhook-signature.js';
import type { OutboundRequest } from '../platform/outbound/outbound-client.js';
import type { ClaimedDelivery } from './claimed-delivery.js';

/**
 * The request of one attempt: the stored body as it is, signed anew. `secrets` sign with the newest first, so that a
 * receiver that keeps the first `v1` is on the new secret; `signedAt` is in Unix seconds. Source: spec 6.3, api.md 4.
 */
export function signedRequest(
  { body, eventId, traceparent, endpoint }: Pick<ClaimedDelivery, 'body' | 'eventId' | 'traceparent' | 'endpoint'>,
  secrets: readonly string[],
  signedAt: number,
): OutboundRequest {
  return {
    url: endpoint.url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Coffer/1',
      'webhook-id': eventId,
      'x-webhook-signature': signWebhook(secrets, body, signedAt),
      ...(traceparent !== null && { traceparent }),
    },
  };
}

import { signWebhook } from '../../domain/webhook-signature.js';
import type { OutboundRequest } from '../../platform/outbound/outbound-client.js';
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
    headers: headersOf(eventId, traceparent, signWebhook(secrets, body, signedAt)),
  };
}

/** Names of the headers of every attempt of an event with this trace. Values stay here: one of them is a signature. */
export function sentHeaderNames(traceparent: string | null): string[] {
  return [...Object.keys(headersOf('', traceparent, '')), ...TRANSPORT_HEADERS];
}

/** What the client and the protocol add. */
const TRANSPORT_HEADERS = ['accept-encoding', 'connection', 'content-length', 'host'];

function headersOf(eventId: string, traceparent: string | null, signature: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Coffer/1',
    'webhook-id': eventId,
    'x-webhook-signature': signature,
    ...(traceparent !== null && { traceparent }),
  };
}

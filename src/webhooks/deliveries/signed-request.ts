import { signWebhook } from '../../domain/webhook-signature.js';
import type { OutboundRequest } from '../../platform/outbound/outbound-client.js';
import type { ClaimedDelivery } from './claimed-delivery.js';

/**
 * Returns the request of one attempt: the stored body with a fresh signature. The newest of `secrets` signs first, so that
 * a receiver that reads only the first `v1` uses the new secret. `signedAt` is in Unix seconds.
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

/** Returns the names of the headers that an attempt sends, without the values: one of them is a signature. */
export function sentHeaderNames(traceparent: string | null): string[] {
  return [...Object.keys(headersOf('', traceparent, '')), ...TRANSPORT_HEADERS];
}

/** Returns the headers that every attempt sends. That of the signature is null: each attempt makes its own, and none is kept. */
export function sentHeaders(eventId: string, traceparent: string | null): Record<string, string | null> {
  return { ...headersOf(eventId, traceparent, ''), [SIGNATURE_HEADER]: null };
}

/** Headers that the HTTP client adds. */
const TRANSPORT_HEADERS = ['accept-encoding', 'connection', 'content-length', 'host'];

const SIGNATURE_HEADER = 'x-webhook-signature';

function headersOf(eventId: string, traceparent: string | null, signature: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Coffer/1',
    'webhook-id': eventId,
    [SIGNATURE_HEADER]: signature,
    ...(traceparent !== null && { traceparent }),
  };
}

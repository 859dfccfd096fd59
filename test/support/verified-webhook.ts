import Stripe from 'stripe';
import type { ReceivedRequest } from '../outbound/receiver-zoo.js';

const TOLERANCE_SECONDS = 300;

/** The parts of an event that tests read. */
export interface VerifiedEvent {
  readonly id: string;
  readonly type: string;
  readonly event_type: string;
  readonly sequence: number;
  readonly data: { readonly id: string };
}

/**
 * Verifies a webhook as a merchant's code did when it arrived, however long ago that was.
 * @throws Error when the signature is refused
 */
export function verifiedAtReceipt({ headers, body, receivedAt }: ReceivedRequest, secret: string): VerifiedEvent {
  const signature = String(headers['x-webhook-signature']);
  const verify = Stripe.webhooks.constructEvent.bind(Stripe.webhooks);
  return verify(body, signature, secret, TOLERANCE_SECONDS, undefined, receivedAt) as unknown as VerifiedEvent;
}

import type { FinalTransaction } from '../../chains/expiring.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { ShortPayment } from '../transactions/outcome-handler.js';

/** A signed payment, as its row states it. */
export interface SignedPayment {
  readonly sender: string;
  readonly recipient: string;
  readonly token: string;
  readonly amount: bigint;
}

/** How a payment ended in a final block. */
export interface PaymentOutcome {
  readonly succeeded: boolean;
  /** What it cost the sender beside the amount, in smallest units of the coin: fees, and the rent of an opened account. */
  readonly cost: bigint;
}

/** How a payment to others ended. */
export interface PaidOutcome extends PaymentOutcome {
  /** Null where all of the amount arrived, or nothing was paid. */
  readonly short: ShortPayment | null;
}

/** Returns how a transaction ended that moves nothing to another address; null when its changes contradict that. */
export function ownOutcomeOf(sender: string, { succeeded, changes }: FinalTransaction): PaymentOutcome | null {
  const cost = -changes.reduce((sum, { units }) => sum + units, 0n);
  const isOwn = changes.every(({ owner, token }) => owner === sender && token === NATIVE_COIN);
  return isOwn && cost >= 0n ? { succeeded, cost } : null;
}

/**
 * Returns how a payment ended, by what its transaction changed; null when the changes contradict the payment, so that they
 * prove nothing. It has succeeded also where the sender lost the amount and the recipient got less: the issuer of some tokens
 * can take a fee of each transfer.
 */
export function outcomeOf(
  { sender, recipient, token, amount }: SignedPayment,
  { succeeded, changes }: FinalTransaction,
): PaidOutcome | null {
  const change = (owner: string, of: string): bigint =>
    changes.reduce((sum, each) => (each.owner === owner && each.token === of ? sum + each.units : sum), 0n);
  const paid = succeeded ? amount : 0n;
  const cost = -change(sender, NATIVE_COIN) - (token === NATIVE_COIN ? paid : 0n);
  const arrived = change(recipient, token);
  const isLess = token !== NATIVE_COIN && arrived > 0n && arrived < paid;
  const hasPaid = (arrived === paid || isLess) && (token === NATIVE_COIN || change(sender, token) === -paid);
  return hasPaid && cost >= 0n ? { succeeded, cost, short: isLess ? { amount, arrived } : null } : null;
}

import type { ChainFact, DeliveryFact, EndpointFact, EventFact, TransferFact } from './intent-verdict-facts.js';

/**
 * Every code of a finding, in the order of importance: the first that applies is the verdict. First come reasons to
 * doubt the other facts, then money that arrived elsewhere, then what delays the payment, then its state, then
 * undelivered webhooks. The names are public; `docs/explain.md` explains each.
 */
export const VERDICT_CODES = [
  'settlement_quarantined',
  'paid_in_another_token',
  'paid_on_another_network',
  'paid_to_another_account',
  'paid_late',
  'payment_orphaned',
  'payment_on_hold',
  'payment_kept',
  'listener_halted',
  'listener_paused',
  'network_disabled',
  'token_disabled',
  'listener_behind',
  'finality_stalled',
  'price_unavailable',
  'no_wallets_available',
  'awaiting_outcome',
  'awaiting_settlement',
  'awaiting_confirmations',
  'part_paid',
  'dust_only',
  'confirmed_by_merchant_unpaid',
  'awaiting_address',
  'not_paid',
  'underpaid_at_end',
  'failed_on_hold',
  'expired_unpaid',
  'cancelled_by_system',
  'webhook_dead_lettered',
  'webhook_endpoint_disabled',
  'webhook_not_acknowledged',
  'webhook_delayed',
  'paid_again',
  'overpaid',
  'shortfall_accepted',
  'paid_completed',
  'no_webhook_endpoint',
] as const;
export type VerdictCode = (typeof VERDICT_CODES)[number];

/** The facts behind a finding; irrelevant ones are absent. */
export interface Evidence {
  readonly payments?: readonly TransferFact[];
  readonly deliveries?: readonly DeliveryFact[];
  readonly endpoints?: readonly EndpointFact[];
  readonly events?: readonly EventFact[];
  /** Smallest units of the intent's token. */
  readonly amounts?: { readonly expected: bigint; readonly received: bigint; readonly decimals: number };
  readonly listener?: ChainFact;
  readonly address?: string;
  readonly expiresAt?: Date;
  readonly since?: Date;
  readonly pocketId?: string | null;
  /** Until the payment is final, estimated from the last blocks. */
  readonly secondsToGo?: number;
}

/** A sentence for people, what to do about it, and its evidence. */
export interface Finding {
  readonly code: VerdictCode;
  readonly sentence: string;
  readonly nextAction: string;
  readonly evidence: Evidence;
}

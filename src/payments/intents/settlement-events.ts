import type { EventType } from '../../domain/event-type.js';
import { type IntentStatus, isTerminal, isWorthACent } from '../../domain/intent-state.js';
import type { NewEvent } from '../../events/events.service.js';
import { rows, type Tx } from '../../platform/database/database.js';
import type { ChainProgress } from './chain-progress.js';
import type { PaymentDeposit } from '../deposits/payment-deposit.js';
import type { PaymentIntent } from './payment-intent.entity.js';
import { presentIntent } from './payment-intent.presenter.js';
import { paymentStateOf } from './payment-state.js';
import { findReceivedBefore } from './settlement.sql.js';

const EVENT_OF: Partial<Record<IntentStatus, EventType>> = {
  processing: 'payment_intent.processing',
  completed: 'payment_intent.completed',
  failed: 'payment_intent.failed',
  expired: 'payment_intent.expired',
};

/** The changes that one settlement made. */
export interface SettlementChanges {
  /** Statuses it passed through, in order. */
  readonly passed: readonly IntentStatus[];
  /** The status it ended in; null when the status did not change. */
  readonly status: IntentStatus | null;
  /** Deposits that it booked: to the pocket, or as frozen. */
  readonly booked: readonly PaymentDeposit[];
  /** Deposits that staff released to the pocket in the same transaction. */
  readonly released: readonly PaymentDeposit[];
}

/** The intent after the settlement, with all of its deposits. */
export interface Settled {
  readonly intent: PaymentIntent;
  readonly deposits: readonly PaymentDeposit[];
  readonly chain: ChainProgress | null;
}

/** Returns the events of a settlement, in their order. */
export async function settlementEvents(
  tx: Tx,
  { intent, deposits, chain }: Settled,
  changes: SettlementChanges,
): Promise<readonly NewEvent[]> {
  const tenant = { merchantId: intent.merchantId, environment: intent.environment };
  const recorded: NewEvent[] = [];
  const record = (type: EventType, shown: readonly PaymentDeposit[], more: object = {}): void => {
    recorded.push({ tenant, type, resourceId: intent.id, data: { ...presentIntent(intent, shown, chain), ...more } });
  };
  // Whether a payment was final when it was first seen depends on our timing, so the events must not.
  for (const status of changes.passed) {
    const type = EVENT_OF[status];
    if (type !== undefined) record(type, deposits, { status, completed_at: null, failure_code: null });
  }
  const moved = changes.status === null ? undefined : EVENT_OF[changes.status];
  // In causal order: `processing` precedes the payment, and an end follows from it.
  if (moved !== undefined && !isTerminal(intent.status)) record(moved, deposits);
  // Dust is booked like all money, without an event: otherwise anybody could flood a merchant for the price of gas.
  const released = await notReceivedBefore(tx, intent.id, changes.released);
  const notable = [...changes.booked, ...released].filter(({ amount }) => isWorthACent(amount, intent));
  for (const deposit of notable) {
    const isOnHold = paymentStateOf(deposit) === 'on_hold';
    record(isOnHold ? 'payment_intent.on_hold' : 'payment_intent.payment_received', [deposit]);
  }
  if (moved !== undefined && isTerminal(intent.status)) record(moved, deposits);
  return recorded;
}

/**
 * Returns the released deposits without a `payment_received` event. The previous version recorded one when it froze a
 * deposit, and showed payments without an id.
 */
async function notReceivedBefore(
  tx: Tx,
  intentId: string,
  released: readonly PaymentDeposit[],
): Promise<readonly PaymentDeposit[]> {
  if (released.length === 0) return released;
  const releasedIds = released.map(({ id }) => id);
  const received = new Set((await rows(tx, findReceivedBefore(intentId, releasedIds))).map(({ id }) => id));
  return released.filter(({ id }) => !received.has(id));
}

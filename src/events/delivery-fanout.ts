import type { Tx } from '../platform/database/database.js';

/** Where the relay hands over events: whoever tells merchants implements it, so that events know nothing of webhooks. */
export interface DeliveryFanout {
  /** Creates, in the relay's transaction, what each of these events is owed to. Called once per event. */
  fanOut(tx: Tx, eventIds: readonly string[]): Promise<void>;
}

/** Injection token of the one implementation. */
export const DELIVERY_FANOUT = Symbol('DeliveryFanout');

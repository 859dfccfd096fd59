import type { Tx } from '../platform/database/database.js';

/** The port through which the relay passes on events. Webhooks implement it, so that events do not depend on webhooks. */
export interface DeliveryFanout {
  /** Creates the deliveries of these events in the relay's transaction. Called once per event. */
  fanOut(tx: Tx, eventIds: readonly string[]): Promise<void>;
}

/** Injection token of the one implementation. */
export const DELIVERY_FANOUT = Symbol('DeliveryFanout');

import type { EnergyMove } from './energy-move.js';
import type { PaymentConditions, PlannedPayment } from './expiring.js';
import type { SignedBytes } from './expiring-transaction.js';

/** What a hot wallet can lend. */
export interface Lendable {
  /** Staked coins in smallest units, less all that is lent as of the final block at `height`. */
  readonly stake: bigint;
  readonly height: number;
}

/** Plans and checks transactions that lend staked energy and take it back, on a chain that has such a thing. It asks no node. */
export interface EnergyLender {
  /** Returns what the hot wallet can lend. */
  lendable(at: PaymentConditions): Lendable;
  /** Returns the transaction. Two plans with different sequence numbers have different ids. */
  plan(move: EnergyMove, sequence: number, at: PaymentConditions): PlannedPayment;
  /** Does for it what `ExpiringPayer.check` does for a payment. @throws SignedMismatch */
  check(signed: SignedBytes, planned: PlannedPayment, move: EnergyMove): void;
}

import type { PaymentRefusal } from '../../domain/withdrawal.js';
import { type Tx, sqlOne } from '../../platform/database/database.js';
import { mustWaitForCoinPayments } from './coin-payments-in-flight.js';
import type { SimulationResult } from './payment-simulation.entity.js';
import { SIMULATED_STATEMENT } from './payment-simulations.sql.js';
import type { PaymentPurpose, TransferOrder } from '../transactions/standing-order.js';

/** A payment as it is about to be signed. */
export interface PaymentTerms {
  readonly purpose: PaymentPurpose;
  readonly purposeId: string;
  readonly order: TransferOrder;
  /** Lower case. */
  readonly sender: string;
  readonly gasLimit: bigint;
}

/** What the rows say of a payment. */
interface PaymentFacts {
  readonly reverted_lately: boolean;
  readonly outcome: SimulationResult | null;
  /** Null of a token, and before the first simulation. */
  readonly has_code: boolean | null;
  readonly in_flight: number;
  readonly succeeded: number;
}

/**
 * Why a payment is not signed: its destination refuses it, too many payments in the coin to it are in flight, or no
 * simulation of the last minute accepts it. Null when it may be signed. It reads rows only: the worker simulates.
 */
export async function refusalOf(
  tx: Tx,
  { purpose, purposeId, order, sender, gasLimit }: PaymentTerms,
): Promise<PaymentRefusal | 'payments_in_flight' | 'not_simulated' | null> {
  const { chainRef, token, amount, recipient } = order;
  const facts = await sqlOne<PaymentFacts>(tx, SIMULATED_STATEMENT, [
    purpose,
    purposeId,
    chainRef,
    sender,
    token,
    amount.toString(),
    recipient,
    gasLimit.toString(),
  ]);
  const { reverted_lately: revertedLately, outcome, has_code: hasCode, in_flight: inFlight, succeeded } = facts;
  // A contract can tell a call from a transaction: what happened on the chain outweighs what a simulation says.
  if (revertedLately || outcome === 'rejects') return 'destination_rejects';
  if (outcome === 'needs_gas') return 'destination_needs_gas';
  // Decided before a fresh simulation is asked for: it would run out while the payments in flight become final.
  if (hasCode !== null && mustWaitForCoinPayments(hasCode, { inFlight, succeeded })) return 'payments_in_flight';
  return outcome === 'accepts' ? null : 'not_simulated';
}

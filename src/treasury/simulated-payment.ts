import type { PaymentRefusal } from '../domain/withdrawal.js';
import { type Tx, sqlOne } from '../platform/database/database.js';
import type { SimulationResult } from './payment-simulation.entity.js';
import { SIMULATED_STATEMENT } from './payment-simulations.sql.js';
import type { PaymentPurpose, TransferOrder } from './standing-order.js';

/** A payment as it is about to be signed. */
export interface PaymentTerms {
  readonly purpose: PaymentPurpose;
  readonly purposeId: string;
  readonly order: TransferOrder;
  /** Lower case. */
  readonly sender: string;
  readonly gasLimit: bigint;
}

/**
 * Why a payment is not signed: its destination refuses it, or no simulation of the last minute shows that it does not.
 * Null when it may be signed. Rows alone are asked: the worker simulates. A contract that was never paid in the coin gets one
 * such payment at a time: it may revert what it takes when simulated, and all that is signed by then would burn gas.
 */
export async function refusalOf(
  tx: Tx,
  { purpose, purposeId, order, sender, gasLimit }: PaymentTerms,
): Promise<PaymentRefusal | 'not_simulated' | null> {
  const { chainRef, token, amount, recipient } = order;
  const {
    has_reverted: hasReverted,
    is_on_trial: isOnTrial,
    outcome,
  } = await sqlOne<{
    has_reverted: boolean;
    is_on_trial: boolean;
    outcome: SimulationResult | null;
  }>(tx, SIMULATED_STATEMENT, [
    purpose,
    purposeId,
    chainRef,
    sender,
    token,
    amount.toString(),
    recipient,
    gasLimit.toString(),
  ]);
  // A contract can tell a call from a transaction: what happened on the chain outweighs what a simulation says.
  if (hasReverted || outcome === 'rejects') return 'destination_rejects';
  if (outcome === 'needs_gas') return 'destination_needs_gas';
  return outcome === 'accepts' && !isOnTrial ? null : 'not_simulated';
}

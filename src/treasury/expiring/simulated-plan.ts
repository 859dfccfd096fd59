import type { ExpiringPayer, ExpiringPayment, PaymentConditions, PlannedPayment } from '../../chains/expiring.js';
import type { FeeStrategy } from '../../domain/outgoing-payment.js';

/** A payment as it is simulated: with the number 0, since its own is taken when it is signed. */
export interface SimulatedPlan {
  readonly planned: PlannedPayment;
  /** The limit that stands for these terms in a stored simulation. */
  readonly gasLimit: bigint;
}

/** Returns the plan by which a payment is simulated. */
export function simulatedPlan(
  payer: ExpiringPayer,
  payment: ExpiringPayment,
  strategy: FeeStrategy,
  conditions: PaymentConditions,
): SimulatedPlan {
  const planned = payer.plan(payment, strategy, 0, conditions);
  return { planned, gasLimit: planned.fee.limit };
}

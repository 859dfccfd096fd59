import { NATIVE_COIN } from '../../domain/network.js';
import type { PaymentRefusal } from '../../domain/outgoing-payment.js';
import { rows, type Tx } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { mustWaitForCoinPayments } from './coin-payments-in-flight.js';
import { type PaymentsOf, type PaymentTerms, readFacts } from './payment-simulations.sql.js';
import type { TransferOrder } from '../transactions/transaction-order.js';

type PaymentFacts = RowOf<typeof readFacts>;

/** Simulations and earlier payments that decide on payments signed together. It reads rows only. */
export class SimulatedPayments {
  /** Payments in the coin that were signed together, by recipient. */
  private readonly signed = new Map<string, number>();

  private constructor(private readonly facts: ReadonlyMap<string, PaymentFacts>) {}

  static async read(tx: Tx, of: PaymentsOf, payments: readonly PaymentTerms[]): Promise<SimulatedPayments> {
    if (payments.length === 0) return new SimulatedPayments(new Map());
    const facts = await rows(tx, readFacts(of, payments));
    return new SimulatedPayments(new Map(facts.map((each) => [each.id, each])));
  }

  /**
   * Returns why a payment must not be signed: its destination refuses it, too many coin payments to it are in flight,
   * or no fresh simulation accepts it. Null when it may be signed.
   */
  refusalOf({
    purposeId,
    order,
  }: Pick<PaymentTerms, 'purposeId' | 'order'>): PaymentRefusal | 'payments_in_flight' | 'not_simulated' | null {
    const facts = this.facts.get(purposeId);
    if (facts === undefined) return 'not_simulated';
    const { revertedLately, hasCode, succeeded } = facts;
    const outcome = facts.isFresh === true ? facts.outcome : null;
    // A contract can distinguish a call from a transaction: a mined result outweighs a simulation.
    if (revertedLately || outcome === 'rejects') return 'destination_rejects';
    if (outcome === 'needs_gas') return 'destination_needs_gas';
    const inFlight = facts.inFlight + (this.signed.get(order.recipient) ?? 0);
    // Checked before a fresh simulation is requested, which would expire while the payments in flight become final.
    if (hasCode !== null && mustWaitForCoinPayments(hasCode, { inFlight, succeeded })) return 'payments_in_flight';
    return outcome === 'accepts' ? null : 'not_simulated';
  }

  /** Counts a payment as in flight. */
  sign({ token, recipient }: TransferOrder): void {
    if (token === NATIVE_COIN) this.signed.set(recipient, (this.signed.get(recipient) ?? 0) + 1);
  }
}

import { NATIVE_COIN } from '../../domain/network.js';
import type { PaymentRefusal } from '../../domain/outgoing-payment.js';
import { type Tx, sql } from '../../platform/database/database.js';
import { mustWaitForCoinPayments } from './coin-payments-in-flight.js';
import type { SimulationResult } from './payment-simulation.entity.js';
import { SIMULATED_STATEMENT } from './payment-simulations.sql.js';
import type { TransactionPurpose, TransferOrder } from '../transactions/transaction-order.js';

/** The terms of a payment that is about to be signed. */
export interface PaymentTerms {
  readonly purposeId: string;
  readonly order: TransferOrder;
  readonly gasLimit: bigint;
}

/** The common terms of payments that are signed together. */
export interface PaymentsOf {
  readonly purpose: TransactionPurpose;
  readonly chainRef: string;
  /** Lower case. */
  readonly sender: string;
}

/** The facts of a payment, by the rows. */
interface PaymentFacts {
  readonly id: string;
  readonly reverted_lately: boolean;
  readonly outcome: SimulationResult | null;
  /** Null for a token, and before the first simulation. */
  readonly has_code: boolean | null;
  readonly in_flight: number;
  readonly succeeded: number;
}

/** Simulations and earlier payments that decide on payments signed together. It reads rows only. */
export class SimulatedPayments {
  /** Payments in the coin that were signed together, by recipient. */
  private readonly signed = new Map<string, number>();

  private constructor(private readonly facts: ReadonlyMap<string, PaymentFacts>) {}

  static async read(
    tx: Tx,
    { purpose, chainRef, sender }: PaymentsOf,
    payments: readonly PaymentTerms[],
  ): Promise<SimulatedPayments> {
    if (payments.length === 0) return new SimulatedPayments(new Map());
    const rows = await sql<PaymentFacts>(tx, SIMULATED_STATEMENT, [
      purpose,
      chainRef,
      sender,
      payments.map(({ purposeId }) => purposeId),
      payments.map(({ order }) => order.token),
      payments.map(({ order }) => order.amount.toString()),
      payments.map(({ order }) => order.recipient),
      payments.map(({ gasLimit }) => gasLimit.toString()),
    ]);
    return new SimulatedPayments(new Map(rows.map((row) => [row.id, row])));
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
    const { reverted_lately: revertedLately, outcome, has_code: hasCode, succeeded } = facts;
    // A contract can distinguish a call from a transaction: a mined result outweighs a simulation.
    if (revertedLately || outcome === 'rejects') return 'destination_rejects';
    if (outcome === 'needs_gas') return 'destination_needs_gas';
    const inFlight = facts.in_flight + (this.signed.get(order.recipient) ?? 0);
    // Checked before a fresh simulation is requested, which would expire while the payments in flight become final.
    if (hasCode !== null && mustWaitForCoinPayments(hasCode, { inFlight, succeeded })) return 'payments_in_flight';
    return outcome === 'accepts' ? null : 'not_simulated';
  }

  /** Counts a payment as in flight. */
  sign({ token, recipient }: TransferOrder): void {
    if (token === NATIVE_COIN) this.signed.set(recipient, (this.signed.get(recipient) ?? 0) + 1);
  }
}

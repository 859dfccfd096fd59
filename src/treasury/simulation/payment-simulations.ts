import type { SimulatedPayment } from '../../chains/outgoing.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { Database } from '../../platform/database/database.js';
import type { KnownOutcome } from './confirmed-outcomes.js';
import type { SimulationResult } from './payment-simulation.entity.js';
import type { PaymentPurpose } from '../transactions/transaction-order.js';

/** Payments of one purpose that were simulated together. */
export interface Simulations {
  readonly purpose: PaymentPurpose;
  readonly chainRef: string;
  /** The coin recipients that have code. */
  readonly contracts: ReadonlySet<string>;
  /** The database's time before any node was called, so that a late write of a paused worker counts as old. */
  readonly at: Date;
}

/** One of them. */
export interface Simulated extends KnownOutcome {
  readonly purposeId: string;
  readonly payment: SimulatedPayment;
}

/** Records simulations with the terms of each payment. */
export async function recordSimulations(
  database: Database,
  { purpose, chainRef, contracts, at }: Simulations,
  simulated: readonly Simulated[],
): Promise<void> {
  if (simulated.length === 0) return;
  await database.query(
    `insert into payment_simulation (purpose, chain_ref, simulated_at, purpose_id, sender, token_contract, amount,
       destination_key, gas_limit, destination_has_code, outcome, nodes, block_height, block_hash)
     select $1, $2, $3, * from unnest($4::text[], $5::text[], $6::text[], $7::numeric[], $8::text[], $9::bigint[],
                                      $10::boolean[], $11::text[], $12::int[], $13::bigint[], $14::text[])`,
    [
      purpose,
      chainRef,
      at,
      simulated.map(({ purposeId }) => purposeId),
      simulated.map(({ payment }) => payment.sender),
      simulated.map(({ payment }) => payment.token),
      simulated.map(({ payment }) => payment.amount.toString()),
      simulated.map(({ payment }) => payment.recipient),
      simulated.map(({ payment }) => payment.gasLimit.toString()),
      simulated.map(({ payment }) => (payment.token === NATIVE_COIN ? contracts.has(payment.recipient) : null)),
      simulated.map(({ result }) => result),
      simulated.map(({ nodes }) => nodes),
      simulated.map(({ block }) => block.height),
      simulated.map(({ block }) => block.hash),
    ],
  );
}

/** The newest simulation of a payment, for operators. */
export interface RecordedSimulation {
  readonly outcome: SimulationResult;
  readonly nodes: number;
  readonly blockHeight: string;
  readonly blockHash: string;
  readonly at: string;
}

/** Returns the newest simulation of a payment; null when there is none. */
export async function newestSimulation(
  database: Database,
  purpose: PaymentPurpose,
  purposeId: string,
): Promise<RecordedSimulation | null> {
  const [row] = await database.query<RecordedSimulation>(
    `select outcome, nodes, block_height as "blockHeight", block_hash as "blockHash", simulated_at as at
       from payment_simulation where purpose = $1 and purpose_id = $2 order by simulated_at desc, id desc limit 1`,
    [purpose, purposeId],
  );
  return row ?? null;
}

import type { Database } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import type { PaymentPurpose } from '../transactions/transaction-order.js';
import { findNewest } from './payment-simulations.sql.js';

/** The newest simulation of a payment, for operators. */
export type RecordedSimulation = RowOf<typeof findNewest>;

/** Returns the newest simulation of a payment; null when there is none. */
export async function newestSimulation(
  database: Database,
  purpose: PaymentPurpose,
  purposeId: string,
): Promise<RecordedSimulation | null> {
  const [newest] = await database.rows(findNewest(purpose, purposeId));
  return newest ?? null;
}

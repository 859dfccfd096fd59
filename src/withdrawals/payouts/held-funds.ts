import { rows, type Tx } from '../../platform/database/database.js';
import { findHeld } from './unsigned-withdrawals.sql.js';

/**
 * Returns those of the withdrawals for which the books hold amount and fee. A row without that booking is not an order, and
 * funds held in a pocket of another merchant, token or network do not count. The caller has locked the rows.
 */
export async function heldAmong(tx: Tx, withdrawalIds: readonly string[]): Promise<ReadonlySet<string>> {
  const held = await rows(tx, findHeld(withdrawalIds));
  return new Set(held.map(({ id }) => id));
}

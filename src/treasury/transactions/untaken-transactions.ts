import type { Database } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { findUntaken } from './stuck-transactions.sql.js';

/** Nodes accept a transaction within seconds. */
const NOT_TAKEN_AFTER_SECONDS = 5 * 60;

/** The next transaction of a hot wallet when no node has accepted it yet. Every later one waits behind it. */
export interface UntakenTransaction extends Omit<RowOf<typeof findUntaken>, 'nonce'> {
  readonly nonce: number;
}

/** Returns those of every active chain whose next transaction was signed minutes ago and accepted by no node. */
export async function untakenTransactions(database: Database): Promise<UntakenTransaction[]> {
  const rows = await database.rows(findUntaken(NOT_TAKEN_AFTER_SECONDS));
  return rows.map((row) => ({ ...row, nonce: Number(row.nonce) }));
}

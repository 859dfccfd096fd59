import type { Database } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { newestSimulation, type RecordedSimulation } from '../simulation/payment-simulations.js';
import type { PaymentPurpose, TransactionPurpose } from './transaction-order.js';
import { attemptsOf, findTransactionOf, findVerdicts } from './transaction-record.sql.js';

/** An outgoing transaction, for operators: `replaceWantedAt` is set while a replacement with a higher fee is wanted. */
export type RecordedTransaction = RowOf<typeof findTransactionOf>;

/** One signed version of it; fees in wei per gas. */
export type RecordedAttempt = RowOf<typeof attemptsOf>;

/** A verdict of the vault, or an action of an operator. */
export type RecordedVerdict = RowOf<typeof findVerdicts>;

/** The transaction that was signed for an order: the newest, where an earlier one was superseded. */
export interface TransactionRecord {
  /** The newest simulation of its payment; null while there is none. */
  readonly simulation: RecordedSimulation | null;
  readonly transaction: RecordedTransaction | null;
  readonly attempts: readonly RecordedAttempt[];
}

/** Returns the transaction of an order with every signed version of it. */
export async function transactionRecord(
  database: Database,
  purpose: PaymentPurpose,
  purposeId: string,
): Promise<TransactionRecord> {
  const simulation = await newestSimulation(database, purpose, purposeId);
  const [transaction] = await database.rows(findTransactionOf(purpose, purposeId));
  if (transaction === undefined) return { simulation, transaction: null, attempts: [] };
  return { simulation, transaction, attempts: await database.rows(attemptsOf(transaction.id)) };
}

/**
 * Returns the verdicts of the vault on an order, and the actions of operators on it or on its subjects, by time. An
 * adoption is shown by its audit entry.
 */
export function verdictsOn(
  database: Database,
  purpose: TransactionPurpose,
  { purposeId, subjects }: { readonly purposeId: string; readonly subjects: readonly string[] },
): Promise<RecordedVerdict[]> {
  return database.rows(findVerdicts(purpose, purposeId, subjects));
}

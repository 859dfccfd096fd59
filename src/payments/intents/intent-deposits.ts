import type { EntityManager } from '@mikro-orm/postgresql';
import { rows } from '../../platform/database/database.js';
import { type PaymentDeposit, paymentDepositOf } from '../deposits/payment-deposit.js';
import { findDeposits, findShownDeposits } from './intent-deposits.sql.js';

type Found = ReturnType<typeof findDeposits>;

/** Returns the deposits of intents that are shown, by intent: the largest, as anybody can send dust without end. */
export const shownDepositsOf = (
  em: EntityManager,
  intentIds: readonly string[],
): Promise<Map<string, PaymentDeposit[]>> => byIntent(em, intentIds, findShownDeposits);

/** Returns the deposits of intents, by intent. */
export const depositsOf = (em: EntityManager, intentIds: readonly string[]): Promise<Map<string, PaymentDeposit[]>> =>
  byIntent(em, intentIds, findDeposits);

async function byIntent(
  em: EntityManager,
  intentIds: readonly string[],
  find: (intentIds: readonly string[]) => Found,
): Promise<Map<string, PaymentDeposit[]>> {
  if (intentIds.length === 0) return new Map();
  const found = await rows(em, find(intentIds));
  return Map.groupBy(
    found.map((row) => paymentDepositOf(em, row)),
    (deposit) => deposit.intentId ?? '',
  );
}

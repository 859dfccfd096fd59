import { WAITING_REASONS, type WaitingReason } from '../../domain/outgoing-payment.js';
import { rows, type Tx } from '../../platform/database/database.js';
import type { TransactionPurpose } from './transaction-order.js';
import { recordRefusal } from '../vault-records.js';
import { findNewestVerdict } from './replacements.sql.js';

/** Why a stuck transaction gets no higher fee, for operators. It is checked again automatically. */
const REFUSALS = {
  ...WAITING_REASONS,
  address_blocked: 'Its destination is on a sanctions list by now.',
  no_order: 'Its order has ended.',
} as const;
export type ReplacementRefusal = WaitingReason | 'address_blocked' | 'no_order';

/** A stuck transaction that the vault refuses to replace. Later nonces wait behind it. */
export interface RefusedReplacement {
  readonly transactionId: string;
  readonly chainRef: string;
  readonly nonce: number;
  /** A sentence for operators. */
  readonly reason: string;
}

/** Returns the reason of a verdict as a sentence; a mismatch between signature and order is a sentence already. */
export const refusalSentence = (reason: string): string =>
  Object.entries(REFUSALS).find(([key]) => key === reason)?.[1] ?? reason;

/**
 * Records a refusal once while its reason stays the same, since the vault checks every second. Returns whether it is
 * new.
 */
export async function refuseReplacement(
  tx: Tx,
  row: { readonly id: string; readonly purpose: TransactionPurpose; readonly purposeId: string },
  reason: ReplacementRefusal,
): Promise<boolean> {
  const [newest] = await rows(tx, findNewestVerdict(row.id));
  if (newest?.verdict === 'refused' && newest.reason === reason) return false;
  await recordRefusal(tx, { purpose: row.purpose, purposeId: row.purposeId, reason });
  return true;
}

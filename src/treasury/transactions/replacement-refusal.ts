import { WAITING_REASONS, type WaitingReason } from '../../domain/outgoing-payment.js';
import { type Tx, sql } from '../../platform/database/database.js';
import type { TransactionPurpose } from './transaction-order.js';
import { recordRefusal } from '../vault-records.js';

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

/** The newest verdict for the order of a transaction. */
const NEWEST_VERDICT = `
  select verdict, reason from vault_audit
   where purpose = transaction.purpose and purpose_id = transaction.purpose_id order by id desc limit 1`;

/** Every transaction whose replacement is wanted and was refused by the newest verdict. */
export const REFUSED_REPLACEMENTS_STATEMENT = `
  select transaction.id, transaction.chain_ref, transaction.nonce, verdict.reason
    from chain_transaction transaction cross join lateral (${NEWEST_VERDICT}) verdict
   where transaction.status = 'signed' and transaction.replace_wanted_at is not null and verdict.verdict = 'refused'
   order by transaction.chain_ref, transaction.nonce`;

/** Returns the reason of a verdict as a sentence; a mismatch between signature and order is a sentence already. */
export const refusalSentence = (reason: string): string =>
  Object.entries(REFUSALS).find(([key]) => key === reason)?.[1] ?? reason;

/**
 * Records a refusal once while its reason stays the same, since the vault checks every second. Returns whether it is
 * new.
 */
export async function refuseReplacement(
  tx: Tx,
  row: { readonly id: string; readonly purpose: TransactionPurpose; readonly purpose_id: string },
  reason: ReplacementRefusal,
): Promise<boolean> {
  const [newest] = await sql<{ verdict: string; reason: string | null }>(
    tx,
    `select verdict.* from chain_transaction transaction cross join lateral (${NEWEST_VERDICT}) verdict
      where transaction.id = $1`,
    [row.id],
  );
  if (newest?.verdict === 'refused' && newest.reason === reason) return false;
  await recordRefusal(tx, { purpose: row.purpose, purposeId: row.purpose_id, reason });
  return true;
}

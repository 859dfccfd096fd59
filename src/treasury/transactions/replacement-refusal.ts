import { WAITING_REASONS, type WaitingReason } from '../../domain/withdrawal.js';
import { type Tx, sql } from '../../platform/database/database.js';
import type { TransactionPurpose } from './transaction-order.js';
import { recordRefusal } from '../vault-records.js';

/** Why no more is offered for a transaction that is stuck, for operators. It is looked at again by itself. */
const REFUSALS = {
  ...WAITING_REASONS,
  address_blocked: 'Its destination is on a sanctions list by now.',
  no_order: 'No order stands behind it any more.',
} as const;
export type ReplacementRefusal = WaitingReason | 'address_blocked' | 'no_order';

/** A transaction that is stuck, and for which the vault offers no more. Those behind it wait. */
export interface RefusedReplacement {
  readonly transactionId: string;
  readonly chainRef: string;
  readonly nonce: number;
  /** A sentence for operators. */
  readonly reason: string;
}

/** The newest verdict on what a transaction is for. */
const NEWEST_VERDICT = `
  select verdict, reason from vault_audit
   where purpose = transaction.purpose and purpose_id = transaction.purpose_id order by id desc limit 1`;

/** Every transaction whose replacement is wanted and was refused when the vault last decided on it. */
export const REFUSED_REPLACEMENTS_STATEMENT = `
  select transaction.id, transaction.chain_ref, transaction.nonce, verdict.reason
    from chain_transaction transaction cross join lateral (${NEWEST_VERDICT}) verdict
   where transaction.status = 'signed' and transaction.replace_wanted_at is not null and verdict.verdict = 'refused'
   order by transaction.chain_ref, transaction.nonce`;

/** The reason of a verdict as a sentence: the vault's own words where it signed something else than was ordered. */
export const refusalSentence = (reason: string): string =>
  Object.entries(REFUSALS).find(([key]) => key === reason)?.[1] ?? reason;

/** Writes a refusal down, once for as long as it stays the same: the vault looks every second. True when it is news. */
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
